// Decides which jobs this worker accepts, and reports each acceptance to the api, which then answers the launch. An
// accepted job may wait until a process is ready. The acceptance is reported again while it waits, so that the api does
// not consider the worker lost.
import { setTimeout as delay } from "node:timers/promises";
import type { JobRequest } from "@livekit/agents";
import type { Logger } from "../shared/log.ts";
import { type DispatchMetadata, dispatchMetadataSchema, type WorkerProvider } from "../shared/runtime-api.ts";
import { AGENT_NAME } from "../shared/wire-names.ts";
import { RuntimeApiClient, RuntimeApiError } from "./session/runtime-api-client.ts";

/** Well below the time after which the api considers an accepted session lost. */
const DEFAULT_REPORT_INTERVAL_MS = 4_000;
/** A process is ready after two seconds; under heavy load (measured with thirty runnable processes on two cores)
 *  after more than twenty. The acceptance of a job is repeated for at most this long per process that starts before
 *  its own. */
const DEFAULT_PROCESS_START_MS = 30_000;
/** A job that is next in the queue has its process by then. If not, the api considers it lost. */
const DEFAULT_ARRIVAL_MS = 12_000;
const POLL_MS = 200;

export interface JobIntakeOptions {
  /** Most jobs that this worker holds. */
  maxSessions: number;
  /** Ids of the jobs that have a process. */
  activeJobIds(): readonly string[];
  /** Execution providers that this worker has. */
  providers: readonly WorkerProvider[];
  logger: Logger;
  /** Time between two reports of an acceptance. Default 4,000. */
  reportIntervalMs?: number;
  /** Longest start of a process. Default 30,000. */
  processStartMs?: number;
  /** Longest wait of a job that is next in the queue. Default 12,000. */
  arrivalMs?: number;
}

/** The part of the framework's job request that is used here. */
export type OfferedJob = Pick<JobRequest, "id" | "accept" | "reject"> & { job: Pick<JobRequest["job"], "metadata"> };

export class JobIntake {
  readonly #options: JobIntakeOptions;
  readonly #processStartMs: number;
  /** Accepted jobs without a process. */
  readonly #waiting = new Set<string>();
  /** When a job last got its process; at first, when the worker started. The next process starts then. */
  #lastHandoverMs = performance.now();

  constructor(options: JobIntakeOptions) {
    this.#options = options;
    this.#processStartMs = options.processStartMs ?? DEFAULT_PROCESS_START_MS;
  }

  /** Jobs held: with a process or waiting for one. */
  get heldJobs(): number {
    const active = this.#options.activeJobIds();
    return active.length + [...this.#waiting].filter((id) => !active.includes(id)).length;
  }

  /** Accepts or rejects an offered job. LiveKit offers a rejected job to another worker. Never throws. */
  async answer(request: OfferedJob): Promise<void> {
    const { maxSessions, logger } = this.#options;
    const metadata = readMetadata(request.job.metadata);
    if (!metadata) {
      logger.warn("job without usable metadata rejected");
      return request.reject();
    }
    const avatarSessionId = metadata.avatar_session_id;
    if (metadata.provider !== undefined && !this.#options.providers.includes(metadata.provider)) {
      logger.info({ avatarSessionId, provider: metadata.provider }, "job rejected: provider not available");
      return request.reject();
    }
    if (this.heldJobs >= maxSessions) {
      logger.info({ avatarSessionId, maxSessions }, "job rejected: worker full");
      return request.reject();
    }
    const isProcessStarting = performance.now() - this.#lastHandoverMs < this.#processStartMs;
    const ahead = this.#waiting.size + (isProcessStarting ? 1 : 0);
    this.#waiting.add(request.id);
    const api = new RuntimeApiClient(metadata);
    try {
      if (!(await this.#report(api, avatarSessionId))) {
        this.#waiting.delete(request.id);
        return await request.reject();
      }
      await request.accept("Avatar", AGENT_NAME);
    } catch (error) {
      this.#waiting.delete(request.id);
      logger.warn({ avatarSessionId, err: error }, "job not accepted");
      return;
    }
    void this.#watch(request.id, api, avatarSessionId, ahead);
  }

  /** Reports the acceptance. Returns false if the api has cancelled the job; true if the api cannot be reached, because
   *  the job may still be valid. */
  async #report(api: RuntimeApiClient, avatarSessionId: string): Promise<boolean> {
    try {
      await api.reportAcceptance();
      return true;
    } catch (error) {
      this.#options.logger.warn({ avatarSessionId, err: error }, "acceptance not reported");
      return !(error instanceof RuntimeApiError && error.isRefusal);
    }
  }

  /** Repeats the acceptance of a job until it has a process. A job whose process has died never gets one, so the wait
   *  is bounded; the api then ends the session after its own limit. */
  async #watch(id: string, api: RuntimeApiClient, avatarSessionId: string, ahead: number): Promise<void> {
    const { reportIntervalMs = DEFAULT_REPORT_INTERVAL_MS, arrivalMs = DEFAULT_ARRIVAL_MS } = this.#options;
    const startedMs = performance.now();
    const aheadMs = ahead * this.#processStartMs;
    let reportedMs = startedMs;
    while (!this.#options.activeJobIds().includes(id) && performance.now() - startedMs < aheadMs + arrivalMs) {
      await delay(POLL_MS, undefined, { ref: false });
      const isStillBehind = performance.now() - startedMs < aheadMs;
      if (isStillBehind && performance.now() - reportedMs >= reportIntervalMs) {
        reportedMs = performance.now();
        if (!(await this.#report(api, avatarSessionId))) break;
      }
    }
    if (this.#options.activeJobIds().includes(id)) this.#lastHandoverMs = performance.now();
    this.#waiting.delete(id);
  }
}

function readMetadata(text: string): DispatchMetadata | null {
  try {
    return dispatchMetadataSchema.parse(JSON.parse(text));
  } catch {
    return null; // Not one of our jobs; it is rejected.
  }
}
