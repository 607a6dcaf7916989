// The gestures that were made for an agent ("dynamics" on the wire): tracks in its `.imx` files and a clip of each.
// One row for each agent; each order or regeneration is a run.
//
// States and all moves:
//   processing  accepted, and paid for unless it is a regeneration; waits for a job  -> generating, failed
//   generating  is being made                                                        -> ready, failed
//   ready       the models have their gestures, the clips are stored                 -> processing (next run)
//   failed      refunded in full; the message says why                               -> processing (next run)
// While a run is in progress, and after it failed, the gestures of the last completed run stay in use. When the agent
// is made anew, they end with its earlier face. When it is deleted, a run fails and the clips are deleted.
import type { ModelFamily } from "../../shared/models.ts";
import { GESTURE_SECONDS } from "../../src/face/gestures/gesture-track.ts";
import type { Agent } from "../agents/record/agent.ts";

export type DynamicsStatus = "processing" | "generating" | "ready" | "failed";

export interface Dynamics {
  agentId: string;
  userId: string;
  agentCode: string;
  /** Number of the last run, from 1. */
  run: number;
  /** Revision of the agent for which the run was ordered. */
  revision: number;
  status: DynamicsStatus;
  /** Whether the run was charged. */
  isCharged: boolean;
  /** Length of each gesture. */
  seconds: number;
  /** 0 to 1. */
  progress: number;
  errorMessage: string | null;
  /** Last completed run, with its clips stored; null if there is none. */
  madeRun: number | null;
  madeRevision: number | null;
  madeSeconds: number | null;
  /** Names of its gestures. */
  actions: string[];
  updatedAt: Date;
}

/** Length of a gesture, s. Source: the contract. */
export const DYNAMICS_SECONDS = { ...GESTURE_SECONDS, default: 5 };

export function isInProgress({ status }: Pick<Dynamics, "status">): boolean {
  return status === "processing" || status === "generating";
}

/** Whether the agent has gestures of its own, as it is now. */
export function hasGestures(
  dynamics: Dynamics | null,
  { revision }: Agent,
): dynamics is Dynamics & { madeRun: number } {
  return dynamics !== null && dynamics.madeRun !== null && dynamics.madeRevision === revision;
}

/** A model with a file of its own. */
export interface OwnModel {
  family: ModelFamily;
  key: string;
}

/** The agent's models that have a file of their own; that of its creation comes first. */
export function ownModels({ model, models }: Agent): OwnModel[] {
  const own = models.flatMap(({ family, state, artifactKey: key }) =>
    state === "ready" && key !== null ? [{ family, key }] : [],
  );
  return own.toSorted((a, b) => Number(b.family === model) - Number(a.family === model));
}

/** Object of a gesture's clip. */
export function clipKey(agentId: string, run: number, action: string): string {
  return `dynamics/${agentId}-${run}-${action}.mp4`;
}

/** Object of a model with the gestures of a run. */
export function dynamicsModelKey({ id, revision }: Pick<Agent, "id" | "revision">, family: ModelFamily, run: number) {
  return `models/${id}-${revision}-${family}-gestures-${run}.imx`;
}

/** Reference of a run's charge in the ledger. */
export function chargeReference({ agentId, run }: Pick<Dynamics, "agentId" | "run">): string {
  return `dynamics:${agentId}:${run}`;
}
