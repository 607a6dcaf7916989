// A child process that reads and writes raw media through pipes, with back-pressure. Its failure becomes one error.
// Nothing of the service's environment reaches it, and it ends with every program that it started.
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../../../program/child-process/child-environment.ts";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";
import { EngineError } from "../../../shared/engine-error.ts";

/** How much of the child's messages is kept: the end, which contains the reason. */
const KEPT_MESSAGE_CHARACTERS = 4000;
/** Exit codes of a shell that could not start its command. Source: POSIX. */
const UNSTARTED_CODES: readonly (number | null)[] = [126, 127];
/** FFmpeg executables stay, with input unread, after their file could not be written. The lowest priority on a machine
 *  full of sessions takes seconds. */
const STALL_MS = 120_000;

export interface MediaProcessOptions {
  command: string;
  commandArguments: string[];
  /** Pipes into the child: descriptor 0, then 3; output comes from 1. One that is never written to ends with the
   *  parent. */
  inputs: 0 | 1 | 2;
  /** A child that takes no input for this time is killed. Default 120,000. */
  stallMs?: number;
}

/** Command line that runs one of our own modules in a process of its own, with the loader if the module is TypeScript.
 *  */
export function ownModuleCommand(
  module: URL,
  options: unknown,
): Pick<MediaProcessOptions, "command" | "commandArguments"> {
  const path = fileURLToPath(module);
  return { command: process.execPath, commandArguments: [...moduleFlags(module), path, JSON.stringify(options)] };
}

export class MediaProcess {
  readonly #child: ChildProcess;
  readonly #stallMs: number;
  readonly #ended: Promise<void>;
  #messages = "";
  #failure: EngineError | null = null;

  /** Starts the child. A command that cannot be started fails `finished` and every write. */
  constructor(options: MediaProcessOptions) {
    this.#stallMs = options.stallMs ?? STALL_MS;
    const input = options.inputs > 0 ? "pipe" : "ignore";
    this.#child = spawn(options.command, options.commandArguments, {
      stdio: [input, "pipe", "pipe", options.inputs > 1 ? "pipe" : "ignore"],
      env: childEnvironment(),
      // Leader of a process group, so that programs which it started can be ended with it.
      detached: true,
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#messages = (this.#messages + text).slice(-KEPT_MESSAGE_CHARACTERS);
    });
    // A child that ends early breaks its pipes. Its exit gives the reason, so errors of the pipes are ignored.
    for (const pipe of [this.#child.stdin, this.#child.stdio[3]]) pipe?.on("error", () => undefined);
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", (cause) => {
        this.#failure ??= failure(`The media program could not be started: ${cause.message}.`, cause);
        resolve();
      });
      // What it left running would hold the pipes open.
      this.#child.once("exit", () => this.#killGroup());
      this.#child.once("close", (code, signal) => {
        if (code !== 0) this.#failure ??= failure(this.#reason(code, signal), new Error(this.#messages));
        resolve();
      });
    });
  }

  /** What the child writes. */
  get output(): Readable {
    return this.#child.stdout!;
  }

  /** Writes to input 0 (descriptor 0) or 1 (descriptor 3), and waits until the system has taken the bytes, which the
   *  caller may then change. Throws EngineError once the child failed. */
  async write(input: 0 | 1, bytes: Uint8Array): Promise<void> {
    if (this.#failure) throw this.#failure;
    const pipe = this.#pipe(input);
    // A broken pipe is reported here, too; the child's exit gives the reason.
    const taken = new Promise<void>((resolve) => pipe.write(bytes, () => resolve()));
    const stalled = setTimeout(() => void this.#kill("it took no more input"), this.#stallMs);
    await Promise.race([taken, this.#ended]);
    clearTimeout(stalled);
    if (this.#failure) throw this.#failure;
  }

  /** Says that no more input comes. */
  endInputs(): void {
    for (const pipe of [this.#child.stdin, this.#child.stdio[3]]) (pipe as Writable | null | undefined)?.end();
  }

  /** Resolves when the child has ended well; throws EngineError(program-failed) if it failed. */
  async finished(): Promise<void> {
    await this.#ended;
    if (this.#failure) throw this.#failure;
  }

  /** Ends the child and every program that it started, at once, and waits until it is gone. Idempotent. */
  async kill(): Promise<void> {
    await this.#kill("it was stopped");
  }

  async #kill(reason: string): Promise<void> {
    this.#failure ??= failure(`The media program failed: ${this.#lastMessage() ?? reason}`, new Error(this.#messages));
    // The id of a child that is gone may belong to another process by now.
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#killGroup();
    await this.#ended;
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // No process of the group is left, or this system has no process groups.
      this.#child.kill("SIGKILL");
    }
  }

  #pipe(input: 0 | 1): Writable {
    return (input === 0 ? this.#child.stdin : this.#child.stdio[3]) as Writable;
  }

  #reason(code: number | null, signal: NodeJS.Signals | null): string {
    const happened = UNSTARTED_CODES.includes(code) ? "could not be started" : "failed";
    return `The media program ${happened}: ${this.#lastMessage() ?? `it ended with ${signal ?? `code ${code}`}`}`;
  }

  #lastMessage(): string | undefined {
    return this.#messages.trim().split("\n").at(-1)?.trim() || undefined;
  }
}

function failure(message: string, cause: unknown): EngineError {
  return new EngineError("program-failed", message, { cause });
}
