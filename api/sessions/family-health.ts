// How well each model family has been starting lately, in this process: what `/readyz` says.
import { FAMILIES, type ModelFamily } from "../../shared/models.ts";
import type { Clock } from "../kernel/clock.ts";

const WINDOW_SECONDS = 300;
/** Outcomes kept per family; older ones are dropped first, so memory stays bounded whatever the load. */
const MAX_OUTCOMES = 200;

export type HealthStatus = "ok" | "degraded" | "unhealthy";

export interface FamilyHealth {
  readonly windowSeconds: number;
  /** Notes that a session of a family came to life, or failed for a reason of ours. */
  record(family: ModelFamily, isGood: boolean): void;
  /** `ok` without any failure in the window, `unhealthy` when failures alone were seen, `degraded` in between. */
  statusOf(family: ModelFamily): HealthStatus;
}

/** An empty record; a process that has seen nothing reports `ok`. */
export function createFamilyHealth(now: Clock): FamilyHealth {
  const outcomes = new Map<ModelFamily, { atMs: number; isGood: boolean }[]>(FAMILIES.map((family) => [family, []]));
  return {
    windowSeconds: WINDOW_SECONDS,
    record(family, isGood) {
      const list = outcomes.get(family) ?? [];
      list.push({ atMs: now(), isGood });
      if (list.length > MAX_OUTCOMES) list.shift();
    },
    statusOf(family) {
      const since = now() - WINDOW_SECONDS * 1000;
      const recent = (outcomes.get(family) ?? []).filter((outcome) => outcome.atMs >= since);
      const failures = recent.filter((outcome) => !outcome.isGood).length;
      if (failures === 0) return "ok";
      return failures === recent.length ? "unhealthy" : "degraded";
    },
  };
}
