// Decides which jobs this worker takes, and tells the api of each: a launch is answered once its job is taken. A job
// that is taken may wait for a process to be ready; while it does, the api hears so, and does not mistake the silence
// for a lost worker.
import { setTimeout as delay } from "node:timers/promises";
import type { JobRequest } from "@livekit/agents";
import type { Logger } from "../shared/log.ts";
import { type DispatchMetadata, dispatchMetadataSchema, type WorkerProvider } from "../shared/runtime-api.ts";
import { AGENT_NAME } from "../shared/wire-names.ts";
import { RuntimeApiClient, RuntimeApiError } from "./session/runtime-api-client.ts";

/** Well within the time after which the api takes an accepted session for lost. */
const REPORT_INTERVAL_MS = 4_000;
/** A process takes two seconds to be ready, on a machine under heavy load (measured: thirty runnable processes on two
 *  cores) more than twenty. A job is spoken for at most this long for each process that has to be made before its own.
 *  */
const PROCESS_START_MS = 30_000;
/** One that is next in line has its process by then, or never: the api takes it for lost, too. */
const ARRIVAL_MS = 12_000;
const POLL_MS = 200;

export interface JobIntakeOptions {
  /** Jobs that this worker holds at most. */
  maxSessions: number;
  /** Ids of the jobs that have a process. */
  activeJobIds(): readonly string[];
  /** Execution providers that this worker has. */
  providers: readonly WorkerProvider[];
  logger: Logger;
}

/** What the intake needs of the framework's request. */
export type OfferedJob = Pick<JobRequest, "id" | "accept" | "reject"> & { job: Pick<JobRequest["job"], "metadata"> };

export class JobIntake {
  readonly #options: JobIntakeOptions;
  /** Taken, but without a process so far. */
  readonly #waiting = new Set<string>();
  /** When a job last got its process: the next one is still being made then. */
  #lastHandoverMs = Number.NEGATIVE_INFINITY;

  constructor(options: JobIntakeOptions) {
    this.#options = options;
  }

  /** Jobs held: with a process or waiting for one. */
  get heldJobs(): number {
    const active = this.#options.activeJobIds();
    return active.length + [...this.#waiting].filter((id) => !active.includes(id)).length;
  }

  /** Answers an offered job. LiveKit asks another worker for one that is rejected. Never throws. */
  async answer(request: OfferedJob): Promise<void> {
    const { maxSessions, logger } = this.#options;
    const metadata = readMetadata(request.job.metadata);
    if (!metadata) {
      logger.warn("job without usable metadata rejected");
      return request.reject();
    }
    const avatarSessionId = metadata.avatar_session_id;
    if (metadata.provider !== undefined && !this.#options.providers.includes(metadata.provider)) {
      logger.info({ avatarSessionId, provider: metadata.provider }, "job rejected: its provider is missing here");
      return request.reject();
    }
    if (this.heldJobs >= maxSessions) {
      logger.info({ avatarSessionId, maxSessions }, "job rejected: no room");
      return request.reject();
    }
    const isProcessStarting = performance.now() - this.#lastHandoverMs < PROCESS_START_MS;
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

  /** Says that the job is held. False if the api no longer wants it served; true also when the api cannot be reached,
   *  for then it still may. */
  async #report(api: RuntimeApiClient, avatarSessionId: string): Promise<boolean> {
    try {
      await api.reportAcceptance();
      return true;
    } catch (error) {
      this.#options.logger.warn({ avatarSessionId, err: error }, "acceptance not reported");
      return !(error instanceof RuntimeApiError && error.isRefusal);
    }
  }

  /** Follows a job until it has a process. A job whose process turns out to be dead never has one: the wait is
   *  bounded, and the api's own limit does the rest. */
  async #watch(id: string, api: RuntimeApiClient, avatarSessionId: string, ahead: number): Promise<void> {
    const startedMs = performance.now();
    let reportedMs = startedMs;
    while (
      !this.#options.activeJobIds().includes(id) &&
      performance.now() - startedMs < ahead * PROCESS_START_MS + ARRIVAL_MS
    ) {
      await delay(POLL_MS, undefined, { ref: false });
      const isStillBehind = performance.now() - startedMs < ahead * PROCESS_START_MS;
      if (isStillBehind && performance.now() - reportedMs >= REPORT_INTERVAL_MS) {
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
    return null; // Not a job of ours: the rejection tells the dispatcher.
  }
}
