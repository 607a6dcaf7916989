// A helper process of a benchmark, so that what it does neither delays nor is delayed by the measuring process.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../cli/start/build/bundle.ts";
import type { ClientReply, ClientRequest } from "./client-messages.ts";

type Commands<Kind> = { [Name in keyof Kind]: (argument: never) => unknown };
type Argument<Command> = Command extends (argument: infer Value) => unknown ? Value : never;
type Result<Command> = Command extends (argument: never) => infer Value ? Awaited<Value> : never;

export type ClientRole = "sender" | "judge" | "publisher";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const OUT_FOLDER = join(ROOT, "node_modules", ".cache", "open-avatar-bench");
/** A room that cannot be reached may let an SDK wait for ever. */
const ANSWER_TIMEOUT_MS = 120_000;
const ROLES: readonly ClientRole[] = ["sender", "judge", "publisher"];
let built: Promise<unknown> | null = null;

/** A running helper that answers the commands of `Kind`. */
export class ClientProcess<Kind extends Commands<Kind>> {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #lastId = 0;

  private constructor(child: ChildProcess, role: ClientRole) {
    this.#child = child;
    child.on("message", (reply: ClientReply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ("error" in reply) waiting?.reject(new Error(`${role}: ${reply.error}`));
      else waiting?.resolve(reply.result);
    });
    child.once("exit", (status, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the ${role} ended (${signal ?? status})`));
      this.#waiting.clear();
    });
  }

  /** Starts a helper. The helpers are bundled once, so that none of them compiles while something is measured. */
  static async start<Kind extends Commands<Kind>>(role: ClientRole): Promise<ClientProcess<Kind>> {
    built ??= bundle({
      entries: Object.fromEntries(
        ROLES.map((name) => [name, join(ROOT, "lab", "bench", "clients", `${name}-process.ts`)]),
      ),
      outFolder: OUT_FOLDER,
    });
    await built;
    const child = fork(join(OUT_FOLDER, `${role}.mjs`), [], {
      execArgv: [],
      // The encoder's library writes warnings.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    await once(child, "spawn");
    return new ClientProcess<Kind>(child, role);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Sends a command and resolves with its result. Rejects with the helper's error, if the helper ends, and if it has
   *  not answered after two minutes. */
  call<Name extends keyof Kind & string>(command: Name, argument: Argument<Kind[Name]>): Promise<Result<Kind[Name]>> {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(new Error("the helper process has ended"));
      const id = ++this.#lastId;
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${command} was not answered within ${ANSWER_TIMEOUT_MS / 1000} s`));
      }, ANSWER_TIMEOUT_MS);
      const settle =
        <Value>(how: (value: Value) => void) =>
        (value: Value): void => {
          clearTimeout(timer);
          how(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve as (value: unknown) => void), reject: settle(reject) });
      const request: ClientRequest = { id, command, argument };
      this.#child.send(request);
    });
  }

  /** Ends the process. Idempotent. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}
