// A project of a user in a folder of its own: commands and programs run in it as in a user's shell.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../../../lab/packages/source-package.ts";
import { waitFor } from "../wait-for.ts";

/** Settings of the tests and of the service, which a user does not have. */
const OURS = /^(AVATAR|LIVEKIT|TEST|TAP)_|^NODE_OPTIONS$/;
const RUN_TIMEOUT_MS = 120_000;

interface Output {
  stdout: string;
  stderr: string;
}

export class PackedProject {
  /** Absolute path. */
  readonly folder: string;
  readonly #programs: RunningProgram[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Links npm packages of the repository, which is quicker than to install them. */
  async link(...names: string[]): Promise<void> {
    for (const name of names) {
      const path = join(this.folder, "node_modules", name);
      if (existsSync(path)) continue;
      await mkdir(dirname(path), { recursive: true });
      await symlink(join(ROOT, "node_modules", name), path);
    }
  }

  /** Runs a command in the folder. Rejects with all that it printed if it fails or takes too long: two minutes, or
   *  `timeout` ms. */
  async run(
    command: string,
    args: readonly string[] = [],
    environment: Record<string, string> = {},
    timeout = RUN_TIMEOUT_MS,
  ): Promise<Output> {
    const options = { cwd: this.folder, env: shellWith(environment), timeout, maxBuffer: 16e6 };
    return promisify(execFile)(command, [...args], options).catch((error: Error & Output) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    });
  }

  /** Runs an ES module of the project: what it prints, without the line's end. */
  async runModule(text: string, environment: Record<string, string> = {}): Promise<string> {
    const file = join(this.folder, "module.mjs");
    await writeFile(file, text);
    return (await this.run(process.execPath, [file], environment)).stdout.trimEnd();
  }

  /** Starts a program in the folder. It is ended with the project. */
  start(command: string, args: readonly string[] = [], environment: Record<string, string> = {}): RunningProgram {
    const program = new RunningProgram(
      spawn(command, [...args], {
        cwd: this.folder,
        env: shellWith(environment),
        // A process group of its own, so that what it starts is ended with it.
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
    this.#programs.push(program);
    return program;
  }

  /** Ends its programs. */
  async close(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.stop()));
  }
}

/** A program that was started in a project. */
class RunningProgram {
  /** All that it has printed. */
  output = "";
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, "exit");
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
      });
  }

  /** Resolves with the match once it has printed it. Rejects with its output if it ends before. */
  async printed(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray> {
    const ended = () => this.#child.exitCode !== null || this.#child.signalCode !== null;
    await waitFor(() => pattern.test(this.output) || ended(), `${pattern} is printed`, timeoutMs);
    const match = pattern.exec(this.output);
    if (match === null) throw new Error(`ended without ${pattern}:\n${this.output}`);
    return match;
  }

  /** Resolves with its exit status when it has ended by itself. */
  async ended(): Promise<number | null> {
    await this.#exited;
    return this.#child.exitCode;
  }

  /** As Ctrl-C does. Idempotent. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const kill = (signal: NodeJS.Signals) => process.kill(-this.#child.pid!, signal);
    kill("SIGINT");
    const timer = setTimeout(() => kill("SIGKILL"), 10_000);
    await this.#exited;
    clearTimeout(timer);
  }
}

/** The npm of the Node that runs the tests comes first. */
function shellWith(environment: Record<string, string>): NodeJS.ProcessEnv {
  const PATH = [dirname(process.execPath), process.env.PATH].join(":");
  const kept = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  return { ...Object.fromEntries(kept), PATH, ...environment };
}
