// Shows an avatar file in a room, in a process beside the agent. A process that dies is replaced.
import { setTimeout as delay } from "node:timers/promises";
import type { RoomLog } from "../../../room/room-log.ts";
import type { AvatarHost, AvatarPlace } from "../avatar-host.ts";
import type { BundleMotion, BundleSource, JoinRequest } from "./bundle-messages.ts";
import { BundleProcess } from "./bundle-process.ts";

/** Pause before a process that died is replaced, ms. It doubles with each. */
const RESTART_PAUSE_MS = 100;
/** A file that ends every process is not tried for ever. */
const MOST_RESTARTS = 5;
/** After this time, ms, earlier deaths are forgotten. */
const PROVEN_MS = 60_000;

export interface BundleHostOptions extends BundleMotion {
  bundle: BundleSource | URL;
  logger: RoomLog;
}

export class BundleHost implements AvatarHost {
  readonly #options: BundleHostOptions;
  #process: BundleProcess | undefined;
  /** Aborted by `end`. */
  #life = new AbortController();
  /** The replacement of processes; it ends with the life. */
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: BundleHostOptions) {
    this.#options = options;
  }

  /** Of the avatar's process; undefined if none runs. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start({ livekit, livekitToken }: AvatarPlace, signal: AbortSignal): Promise<void> {
    const { bundle, logger, ...motion } = this.#options;
    const source = bundle instanceof URL ? bundle.href : bundle;
    const request = { ...motion, bundle: source, livekitUrl: livekit.url, livekitToken };
    const first = new BundleProcess(logger);
    await first.join(request, signal);
    this.#life = new AbortController();
    this.#keeping = this.#keep(first, request, this.#life.signal);
  }

  async end(): Promise<void> {
    this.#life.abort();
    await this.#process?.leave();
    await this.#keeping;
  }

  /** Replaces processes that die, until `ended`. Never rejects. */
  async #keep(first: BundleProcess, request: JoinRequest, ended: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    let deaths = 0;
    this.#process = first;
    while (this.#process && !ended.aborted) {
      const startedMs = performance.now();
      await this.#process.gone;
      this.#process = undefined;
      deaths = performance.now() - startedMs > PROVEN_MS ? 1 : deaths + 1;
      while (!ended.aborted && !this.#process && deaths <= MOST_RESTARTS) {
        logger.warn({ deaths }, "the avatar's process has ended, another one takes over");
        try {
          await delay(RESTART_PAUSE_MS * 2 ** (deaths - 1), undefined, { signal: ended });
          const next = new BundleProcess(logger);
          await next.join(request, ended);
          this.#process = next;
        } catch (error) {
          deaths += 1;
          logger.warn({ error }, "the avatar has not come back");
        }
      }
    }
    this.#process = undefined;
  }
}
