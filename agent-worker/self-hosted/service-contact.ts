// Whether the account's service can be reached and accepts this worker's secret: a worker starts without it, says so,
// and takes launches from when it is there.
//
//   unknown    no request has ended yet                       → reachable, refused
//   reachable  the last check was answered                    → unknown (a launch found it away), refused
//   refused    the service does not accept the secret         → reachable, if it does again, unknown (it is away)
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../../program/log.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import { isServiceError, type ServiceError } from "../../shared/errors.ts";
import { type AccountService, ServiceAwayError } from "./account-service.ts";
import { credentialOf } from "./credential.ts";

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;
/** While the service is there, it is asked again after this, so that `/ready` is true. */
const CHECK_INTERVAL_MS = 60_000;

type ContactState = "unknown" | "reachable" | "refused";

const MOVES = defineMoves<ContactState>({
  unknown: ["reachable", "refused"],
  reachable: ["unknown", "refused"],
  refused: ["reachable", "unknown"],
});

export interface ServiceContactOptions {
  service: Pick<AccountService, "exchange" | "reach">;
  /** The worker's own secret; without one, launches bring theirs. */
  secret: string | undefined;
  installId: string;
  /** The very first answer of the service was a refusal: this worker cannot work. */
  onRefused(error: ServiceError): void;
  logger: Logger;
}

/** Checks from `start()` to `close()`. */
export class ServiceContact {
  readonly #options: ServiceContactOptions;
  readonly #closing = new AbortController();
  readonly #state = new StateMachine(MOVES, "unknown");
  #hasAnswered = false;
  #wake = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: ServiceContactOptions) {
    this.#options = options;
  }

  get isReachable(): boolean {
    return this.#state.is("reachable");
  }

  /** Why launches are not taken; null if they are. */
  get problem(): string | null {
    if (this.#state.is("reachable")) return null;
    return this.#state.is("refused") ? "the service refuses AVATAR_API_SECRET" : "the service cannot be reached";
  }

  start(): void {
    this.#running = this.#run();
  }

  /** A launch could not reach it: checks again at once. */
  noteAway(): void {
    if (this.#state.is("reachable")) this.#become("unknown");
    this.#wake.abort();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      failures = (await this.#check(failures === 0)) ? 0 : failures + 1;
      const retryMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10));
      const pauseMs = failures === 0 ? CHECK_INTERVAL_MS : retryMs * (0.75 + Math.random() / 2);
      this.#wake = new AbortController();
      const waking = AbortSignal.any([signal, this.#wake.signal]);
      await delay(pauseMs, undefined, { signal: waking, ref: false }).catch(() => undefined);
    }
  }

  /** Returns whether the service has accepted. */
  async #check(isFirst: boolean): Promise<boolean> {
    const { service, secret, installId, logger } = this.#options;
    try {
      if (secret === undefined) await service.reach();
      else {
        const request = { agentCode: null, roomName: null, livekitUrl: null, fingerprint: installId };
        await service.exchange(credentialOf(secret), request);
      }
      this.#hasAnswered = true;
      this.#become("reachable");
      return true;
    } catch (error) {
      if (isServiceError(error) && !(error instanceof ServiceAwayError)) this.#refuse(error);
      else {
        if (isFirst) logger.warn({ err: error }, "service not reached");
        this.#become("unknown");
      }
      return false;
    }
  }

  #refuse(error: ServiceError): void {
    const isVeryFirst = !this.#hasAnswered;
    this.#hasAnswered = true;
    this.#options.logger.error({ code: error.code, reason: error.message }, "the service refuses AVATAR_API_SECRET");
    this.#become("refused");
    if (isVeryFirst) this.#options.onRefused(error);
  }

  #become(state: ContactState): void {
    if (this.#state.is(state)) return;
    this.#state.enter(state);
    this.#options.logger.info({ state }, "contact with the service changed");
  }
}
