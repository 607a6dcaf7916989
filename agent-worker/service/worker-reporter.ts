// Reports to the api every three seconds that this worker is running, its execution providers, and how many sessions it
// can run. Running sessions do not depend on this.
import { randomUUID } from "node:crypto";
import { HttpRefusal, JsonClient } from "../../program/http/json-client.ts";
import type { Logger } from "../../program/log.ts";
import { type WorkerReport, workerReportAnswerSchema } from "../../shared/runtime-api.ts";
import { type LiveKitKey, mintWorkerToken } from "../../shared/worker-token.ts";

const REPORT_INTERVAL_MS = 3_000;
/** The api may start at the same time, and callers wait for workers, ms. */
const RETRY_MS = 500;
const REQUEST_TIMEOUT_MS = 5_000;
const CONFLICT = 409;
const PATH = "/v1/runtime/workers";

export interface WorkerReporterOptions {
  /** Base URL of the runtime API. */
  apiUrl: string;
  livekit: LiveKitKey;
  /** Returns the current report; null while the worker accepts no sessions. */
  status(): Omit<WorkerReport, "worker_id" | "is_stopping"> | null;
  logger: Logger;
  /** Default 3,000. */
  intervalMs?: number;
  /** Default: a random one. */
  workerId?: string;
}

export class WorkerReporter {
  /** Whether relays are sent to the realtime server; undefined until the api says so. */
  #isRealtimeAccepted: boolean | undefined;
  readonly #options: WorkerReporterOptions;
  readonly #client: JsonClient;
  #workerId: string;
  #seq = 0;
  /** A report follows the one that is being sent. */
  #isDue = false;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #isClosed = false;

  constructor(options: WorkerReporterOptions) {
    this.#options = options;
    this.#client = new JsonClient({ baseUrl: options.apiUrl, timeoutMs: REQUEST_TIMEOUT_MS });
    this.#workerId = options.workerId ?? randomUUID();
  }

  /** As the api knows it. It changes if a copy of this process has the same. */
  get workerId(): string {
    return this.#workerId;
  }

  /** Reports now and then regularly. A repeated call reports at once. */
  start(): void {
    clearTimeout(this.#timer);
    if (this.#isDue) return;
    this.#isDue = true;
    // One at a time, so that their numbers arrive in order.
    this.#sending = this.#sending.then(() => {
      this.#isDue = false;
      return this.#isClosed ? undefined : this.#report();
    });
  }

  /** Reports that the worker accepts no more sessions. Never throws; waits at most two request timeouts. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    const stopped = { providers: [], active_sessions: 0, max_sessions: 0, is_stopping: true };
    await this.#send(stopped).catch(() => undefined); // The api removes a worker that stops reporting.
  }

  async #report(): Promise<void> {
    const { status, logger, apiUrl, intervalMs = REPORT_INTERVAL_MS } = this.#options;
    const report = status();
    try {
      if (report !== null) await this.#send(report);
      this.#hasFailed = false;
    } catch (error) {
      // Logged once, not every three seconds.
      if (!this.#hasFailed) logger.warn({ err: error, apiUrl }, "worker report failed");
      this.#hasFailed = true;
    }
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.start(), this.#hasFailed ? Math.min(RETRY_MS, intervalMs) : intervalMs);
    this.#timer.unref();
  }

  async #send(report: Omit<WorkerReport, "worker_id">): Promise<void> {
    const { livekit, logger } = this.#options;
    const token = await mintWorkerToken(livekit, { workerId: this.#workerId, realtimeUrl: report.realtime_url });
    const body = { worker_id: this.#workerId, report_seq: ++this.#seq, ...report };
    try {
      const answer = await this.#client.post(PATH, body, { headers: { authorization: `Bearer ${token}` } });
      const said = workerReportAnswerSchema.safeParse(answer);
      if (said.success) this.#noteRealtime(said.data.is_realtime_accepted, report.realtime_url);
    } catch (error) {
      if (error instanceof HttpRefusal && error.status === CONFLICT) {
        // A copy of this process, as after a snapshot of a machine, has the same id. Both must count.
        logger.warn({ workerId: this.#workerId }, "another worker reports with this id");
        this.#workerId = randomUUID();
        this.#seq = 0;
      }
      throw error;
    }
  }

  #noteRealtime(isAccepted: boolean | undefined, realtimeUrl: string | undefined): void {
    if (isAccepted === undefined || isAccepted === this.#isRealtimeAccepted) return;
    this.#isRealtimeAccepted = isAccepted;
    if (isAccepted) return;
    const message = "the api sends no realtime calls here: set its AVATAR_REALTIME_ADDRESSES";
    this.#options.logger.warn({ realtimeUrl }, message);
  }
}
