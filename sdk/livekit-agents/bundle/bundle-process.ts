// One process that shows an avatar file, as its agent sees it.
import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LIGHT_PROCESS_FLAGS, lightEnvironment } from "../../../program/child-process/light-process.ts";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";
import type { RoomLog } from "../../../room/room-log.ts";
import { AvatarSessionError } from "../avatar-session-error.ts";
import { readEnvironment } from "../read-environment.ts";
import type { JoinRequest, MessageFromBundle, MessageToBundle } from "./bundle-messages.ts";

const PROGRAM = new URL("./bundle-program.ts", import.meta.url);
/** It leaves its room within this, ms, or is killed. */
const LEAVE_TIMEOUT_MS = 4_000;
/** It loads its code, opens the file and joins within this, ms: half a second on an idle machine. */
const JOIN_TIMEOUT_MS = 30_000;

/** Runs from its creation until `gone`. */
export class BundleProcess {
  /** Resolves when no process is left. */
  readonly gone: Promise<void>;
  readonly #child: ChildProcess;
  readonly #logger: RoomLog;

  constructor(logger: RoomLog) {
    this.#logger = logger;
    this.#child = fork(fileURLToPath(PROGRAM), [], {
      execArgv: [...LIGHT_PROCESS_FLAGS, ...moduleFlags(PROGRAM)],
      // The native client writes every detail to the output unless it is in production.
      env: { ...lightEnvironment(readEnvironment().variables), NODE_ENV: "production" },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      serialization: "advanced",
    });
    this.gone = new Promise((resolve) => {
      this.#child.once("exit", () => resolve());
      // It could not be started.
      this.#child.once("error", () => this.#child.pid === undefined && resolve());
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Joins the room. Once. After a failure, or an abort, no process is left. Rejects with AvatarSessionError, or the
   *  signal's reason. */
  async join(request: JoinRequest, signal: AbortSignal): Promise<void> {
    const limit = AbortSignal.timeout(JOIN_TIMEOUT_MS);
    const ended = AbortSignal.any([signal, limit]);
    try {
      await new Promise<void>((resolve, reject) => {
        ended.addEventListener("abort", () => reject(ended.reason));
        if (ended.aborted) reject(ended.reason);
        void this.gone.then(() => reject(new AvatarSessionError("The avatar's process has ended before it joined.")));
        this.#child.on("message", (message: MessageFromBundle) => {
          if (message.type === "log") this.#logger[message.level](message.fields, message.message);
          else if (message.type === "joined") resolve();
          else reject(new AvatarSessionError(message.message));
        });
        this.#send({ type: "join", request });
      });
    } catch (error) {
      await this.#kill();
      throw error === limit.reason ? new AvatarSessionError("The avatar has not joined in time.") : error;
    }
    // From now on it lives as long as its agent, which it does not keep alive.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  /** Leaves the room and ends. Idempotent. */
  async leave(): Promise<void> {
    this.#child.ref();
    this.#send({ type: "leave" });
    await Promise.race([this.gone, delay(LEAVE_TIMEOUT_MS, undefined, { ref: false })]);
    await this.#kill();
  }

  async #kill(): Promise<void> {
    this.#child.ref();
    this.#child.kill("SIGKILL");
    await this.gone;
  }

  #send(message: MessageToBundle): void {
    // A failure means that the process has died, which `gone` reports.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
