// Counts successful and failed session starts of each model family in this process. For `/readyz`.
import { FAMILIES, type ModelFamily } from "../../../shared/models.ts";
import type { Clock } from "../../kernel/clock.ts";

const WINDOW_SECONDS = 300;
/** Outcomes kept per family; the oldest is dropped first. */
const MAX_OUTCOMES = 200;

export type HealthStatus = "ok" | "degraded" | "unhealthy";

export interface FamilyHealth {
  readonly windowSeconds: number;
  /** Counts a session that went live. */
  noteStart(family: ModelFamily): void;
  /** Counts a session that failed through a fault of the service. */
  noteFailure(family: ModelFamily): void;
  /** `ok` if the window has no failures, `unhealthy` if it has only failures, `degraded` if it has both. */
  statusOf(family: ModelFamily): HealthStatus;
}

/** An empty record; without outcomes every family is `ok`. */
export function createFamilyHealth(now: Clock): FamilyHealth {
  const outcomes = new Map<ModelFamily, { atMs: number; isGood: boolean }[]>(FAMILIES.map((family) => [family, []]));

  function add(family: ModelFamily, isGood: boolean): void {
    const list = outcomes.get(family) ?? [];
    list.push({ atMs: now(), isGood });
    if (list.length > MAX_OUTCOMES) list.shift();
  }

  return {
    windowSeconds: WINDOW_SECONDS,
    noteStart: (family) => add(family, true),
    noteFailure: (family) => add(family, false),
    statusOf(family) {
      const since = now() - WINDOW_SECONDS * 1000;
      const recent = (outcomes.get(family) ?? []).filter((outcome) => outcome.atMs >= since);
      const failures = recent.filter((outcome) => !outcome.isGood).length;
      if (failures === 0) return "ok";
      return failures === recent.length ? "unhealthy" : "degraded";
    },
  };
}
