// The metering of one session at the account's service: heartbeats with the seconds served so far, and the end.
//
//   begun     the service has admitted the session, nothing is served yet       → metering, stopping
//   metering  heartbeats are sent; one that fails is repeated soon              → stopping, over (a refusal)
//   stopping  the last count is delivered                                       → over
//   over      the service knows the end, or has ended the session by itself    (final)
//
// Served seconds are cumulative, so that no heartbeat is lost when one fails: the next one carries more. No rule here
// depends on the machine's clock: tokens come with the answers, and intervals are of the monotonic clock.
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../program/log.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import { isServiceError, type ServiceError } from "../../shared/errors.ts";
import type { EndReason } from "../../shared/runtime-api.ts";
import { type AccountService, type BegunSession, ServiceAwayError } from "./account-service.ts";

/** Time after which a failed report is repeated, ms. */
const RETRY_MS = 5_000;

/** Why the service ends a session that goes on here, by the status or code of its refusal. */
const REASONS: Readonly<Record<string, EndReason>> = {
  INSUFFICIENT_BALANCE: "balance_exhausted",
  SESSION_DURATION_LIMIT: "duration_limit",
  UNAUTHORIZED: "secret_revoked",
  RUNTIME_SUSPENDED: "secret_revoked",
  ACCOUNT_SUSPENDED: "secret_revoked",
  PLAN_REQUIRED: "secret_revoked",
  FORBIDDEN: "secret_revoked",
};

type MeteringState = "begun" | "metering" | "stopping" | "over";

const MOVES = defineMoves<MeteringState>({
  begun: ["metering", "stopping"],
  metering: ["stopping", "over"],
  stopping: ["over"],
  over: [],
});

export interface MeteredSessionOptions {
  service: Pick<AccountService, "sendHeartbeat" | "stop">;
  begun: BegunSession;
  /** Runtime token with which the session was begun. */
  token: string;
  /** Gets another runtime token when one has expired; null if the credential was for one exchange. */
  renew: (() => Promise<string>) | null;
  /** Seconds served so far. */
  servedSeconds(): number;
  /** The session must end; called at most once. `error`: what the service said, in words for people. */
  onStop(reason: EndReason, error: string): void;
  logger: Logger;
  /** Default 5,000. */
  retryMs?: number;
}

export class MeteredSession {
  readonly #options: MeteredSessionOptions;
  readonly #state = new StateMachine(MOVES, "begun");
  readonly #closing = new AbortController();
  #token: string;
  #seq = 0;
  #lastAnswerMs = performance.now();
  #metering: Promise<void> = Promise.resolve();

  constructor(options: MeteredSessionOptions) {
    this.#options = options;
    this.#token = options.token;
  }

  /** The session is served from now on. Once. */
  start(): void {
    this.#state.enter("metering");
    this.#lastAnswerMs = performance.now();
    this.#metering = this.#meter();
  }

  /** Delivers the last count; retries while the service is away, as long as it waits for the session, or until
   *  `signal` fires. Resolves when that is done, and never rejects. Once. */
  async stop(servedSeconds: number, signal?: AbortSignal): Promise<void> {
    this.#closing.abort();
    await this.#metering;
    if (this.#state.is("over")) return;
    this.#state.enter("stopping");
    await this.#deliver(servedSeconds, signal);
    this.#state.enter("over");
  }

  async #deliver(servedSeconds: number, signal?: AbortSignal): Promise<void> {
    const { service, begun, logger, retryMs = RETRY_MS } = this.#options;
    for (;;) {
      try {
        const { billed_seconds: billedSeconds, credits } = await this.#withToken((token) =>
          service.stop(token, begun.id, servedSeconds),
        );
        logger.info({ servedSeconds, billedSeconds, credits }, "session stopped at the service");
        return;
      } catch (error) {
        const isOver = !(error instanceof ServiceAwayError) || this.#silentMs > begun.graceMs || signal?.aborted;
        if (isOver) {
          logger.warn({ err: error, servedSeconds }, "end of the session not reported");
          return;
        }
      }
      await delay(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  get #silentMs(): number {
    return performance.now() - this.#lastAnswerMs;
  }

  async #meter(): Promise<void> {
    const { begun, logger, retryMs = RETRY_MS } = this.#options;
    const { signal } = this.#closing;
    let pauseMs = begun.heartbeatIntervalMs;
    let hasWarned = false;
    for (;;) {
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#beat();
        pauseMs = begun.heartbeatIntervalMs;
        hasWarned = false;
      } catch (error) {
        if (isServiceError(error) && !(error instanceof ServiceAwayError)) return this.#refuse(error);
        const silentMs = Math.round(this.#silentMs);
        if (!hasWarned) logger.warn({ err: error, silentMs }, "heartbeat not delivered");
        hasWarned = true;
        if (silentMs > begun.graceMs) {
          const minutes = Math.round(begun.graceMs / 6_000) / 10;
          this.#options.onStop("worker_lost", `The service could not be reached for ${minutes} minutes.`);
          return;
        }
        pauseMs = Math.min(retryMs, begun.heartbeatIntervalMs);
      }
    }
  }

  async #beat(): Promise<void> {
    const { service, begun, servedSeconds } = this.#options;
    const answer = await this.#withToken((token) =>
      service.sendHeartbeat(token, begun.id, ++this.#seq, servedSeconds()),
    );
    if (answer.token) this.#token = answer.token;
  }

  /** A token that has expired, for example while the service was away, is renewed once. */
  async #withToken<T>(call: (token: string) => Promise<T>): Promise<T> {
    const { renew } = this.#options;
    try {
      const answer = await call(this.#token);
      this.#lastAnswerMs = performance.now();
      return answer;
    } catch (error) {
      if (!isServiceError(error) || error.code !== "UNAUTHORIZED" || renew === null) throw error;
      this.#token = await renew();
      return call(this.#token);
    }
  }

  #refuse(error: ServiceError): void {
    this.#state.enter("over");
    this.#options.onStop(REASONS[error.code] ?? "ended_by_api", `${error.code}: ${error.message}`);
  }
}
