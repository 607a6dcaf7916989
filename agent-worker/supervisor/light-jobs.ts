// The light sessions of a worker: those that began with viewers that render. While one streams video, it takes a slot
// like any other.
import { SessionSlots } from "../capacity/session-slots.ts";

export interface LightJob {
  jobId: string;
  /** When it began to stream, ms of `performance.now`; undefined while it does not. */
  streamsSinceMs: number | undefined;
}

export class LightJobs {
  /** Of those that do not stream. */
  readonly slots = new SessionSlots();
  readonly #bySession = new Map<string, LightJob>();

  add(jobId: string, sessionId: string): void {
    this.#bySession.set(sessionId, { jobId, streamsSinceMs: undefined });
  }

  /** A slot for a session that the worker has anyway, whatever their number. */
  take(jobId: string, isVacant: boolean): void {
    this.slots.take(jobId, Number.POSITIVE_INFINITY);
    this.slots.setVacant(jobId, isVacant);
  }

  /** The session has ended. Does nothing for a session that is not light. */
  delete(sessionId: string): void {
    this.#bySession.delete(sessionId);
  }

  find(sessionId: string): LightJob | undefined {
    return this.#bySession.get(sessionId);
  }

  /** Those that stream. */
  get streaming(): LightJob[] {
    return [...this.#bySession.values()].filter(({ streamsSinceMs }) => streamsSinceMs !== undefined);
  }

  /** When a job began to stream, ms; undefined if it does not, or is not light. */
  streamsSinceMs(jobId: string): number | undefined {
    return this.streaming.find((job) => job.jobId === jobId)?.streamsSinceMs;
  }
}
