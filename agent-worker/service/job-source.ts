// Where the jobs of a worker come from: a LiveKit server that dispatches them, or launches on this machine.
import type { EndReason } from "../../shared/runtime-api.ts";

export interface OfferedJob {
  id: string;
  /** A `DispatchMetadata` as JSON. */
  metadata: string;
}

export interface AssignedJob extends OfferedJob {
  /** The job's control room, and the token to join it; null if the job has none. */
  controlRoom: { url: string; token: string } | null;
}

/** What a worker does with its jobs. */
export interface JobListener {
  /** Load of the worker, at most 1; at 1 it gets no jobs. A worker with a lower load is chosen first (`workerLoad`). */
  load(): { load: number; jobCount: number };
  /** Jobs can come now, at first or again. */
  onReady(): void;
  /** Accepts or rejects a job. A rejected job, and one for which this rejects, is not the worker's. */
  onOffer(job: OfferedJob): Promise<boolean>;
  /** A job that was accepted is this worker's. */
  onAssigned(job: AssignedJob): void;
  /** A job that was accepted has not been assigned. */
  onWithdrawn(jobId: string): void;
  /** The source has no such job any more, for example because its dispatch was deleted. */
  onTerminated(jobId: string): void;
  /** The session of a job must end for this reason. */
  onCancelled(jobId: string, reason: EndReason): void;
}

/** Gives jobs from `start()` to `close()`. */
export interface JobSource {
  /** Whether jobs can come now. */
  readonly isReady: boolean;
  /** Begins in the background. Once. */
  start(): void;
  /** The load has changed. */
  reportLoad(): void;
  /** A job that was accepted has ended. */
  reportEnd(jobId: string, reason: EndReason): void;
  /** Gives no more jobs. Idempotent. */
  close(): Promise<void>;
}
