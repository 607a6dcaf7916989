// A voice agent with our plugin in a process of its own, in Node or Python. Both read commands as lines of JSON and
// answer each with a line.
import { type ChildProcess, spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundle } from "../../../../cli/start/build/bundle.ts";

export type PluginLanguage = "Node" | "Python";

/** What an agent does when it is told to, with the answers. */
export interface AgentCommands {
  /** Joins a room and starts a session; with `agentId` the avatar's first. `startMs`: what `start()` of the plugin
   *  took. */
  start: {
    argument: { url: string; token: string; agentId?: string; avatarIdentity?: string };
    result: { startMs: number };
  };
  /** Waits for the avatar. `joinMs`: by LiveKit's metrics. */
  join: { argument: Record<string, never>; result: { joinMs: number } };
  /** Says a text with the audio of a file: mono int16 at 16 kHz. Answers when the turn has ended. */
  say: { argument: { text: string; file: string }; result: SaidTurn };
  /** Ends the turn that is being spoken. */
  interrupt: { argument: Record<string, never>; result: Record<string, never> };
  /** Ends the avatar, then the session, and leaves the room. */
  close: { argument: Record<string, never>; result: Record<string, never> };
  /** Frees what is no longer used. */
  collect: { argument: Record<string, never>; result: Record<string, never> };
}

export interface SaidTurn {
  wasInterrupted: boolean;
  /** By LiveKit's metrics; null for a turn that was not heard. */
  playbackLatencyMs: number | null;
  /** The reports of finished playback since the turn began. */
  finished: { interrupted: boolean; positionS: number }[];
}

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const OUT_FOLDER = join(ROOT, "node_modules", ".cache", "open-avatar-bench");
const PYTHON_PACKAGE = join(ROOT, "sdk", "python", "livekit-plugins-openavatar");
const ANSWER_TIMEOUT_MS = 60_000;
const EXIT_TIMEOUT_MS = 5_000;

export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  #lastId = 0;
  #errors = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#errors = (this.#errors + text).slice(-4000);
    });
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => this.#take(line));
    child.once("error", (error) => this.#fail(error.message));
    child.once("exit", (status, signal) => this.#fail(`it ended (${signal ?? status})`));
  }

  /** `environment`: like `process.env`, with the addresses and secrets that the plugin reads. Throws Error if there is
   *  no Python for an agent in Python. */
  static async start(language: PluginLanguage, environment: NodeJS.ProcessEnv): Promise<AgentProcess> {
    const { file, args, env } = await (language === "Node" ? nodeCommand() : pythonCommand(environment));
    const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...environment, ...env } });
    return new AgentProcess(child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Throws Error if the agent fails, ends, or doesn't answer in a minute. */
  async call<Name extends keyof AgentCommands>(
    command: Name,
    argument: AgentCommands[Name]["argument"],
  ): Promise<AgentCommands[Name]["result"]> {
    const id = ++this.#lastId;
    const answer = new Promise<AgentCommands[Name]["result"]>((resolve, reject) => {
      const timer = setTimeout(() => reject(this.#error(`no answer to ${command}`)), ANSWER_TIMEOUT_MS);
      const settle = () => {
        clearTimeout(timer);
        this.#waiting.delete(id);
      };
      this.#waiting.set(id, {
        resolve(value) {
          settle();
          resolve(value);
        },
        reject(error) {
          settle();
          reject(error);
        },
      });
    });
    this.#child.stdin?.write(`${JSON.stringify({ id, command, ...argument })}\n`);
    return answer;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin?.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), EXIT_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
  }

  #take(line: string): void {
    if (!line.startsWith("{")) return;
    const { id, result, error } = JSON.parse(line) as { id: number; result?: never; error?: string };
    if (error === undefined) this.#waiting.get(id)?.resolve(result as never);
    else this.#waiting.get(id)?.reject(this.#error(error));
  }

  #fail(why: string): void {
    for (const { reject } of [...this.#waiting.values()]) reject(this.#error(why));
  }

  #error(why: string): Error {
    return new Error(`the agent: ${why}\n${this.#errors}`);
  }
}

interface Command {
  file: string;
  args: string[];
  env?: Record<string, string>;
}

/** Bundled, because the agent's memory is measured. */
async function nodeCommand(): Promise<Command> {
  await bundle({
    entries: { "node-agent": fileURLToPath(new URL("./node-agent.ts", import.meta.url)) },
    outFolder: OUT_FOLDER,
  });
  return { file: process.execPath, args: ["--expose-gc", join(OUT_FOLDER, "node-agent.mjs")] };
}

async function pythonCommand(environment: NodeJS.ProcessEnv): Promise<Command> {
  const cache = environment.XDG_CACHE_HOME || join(homedir(), ".cache");
  const file = join(cache, "open-avatar-service", "python", "bin", "python");
  await access(file).catch(() => {
    throw new Error(`There is no ${file}. .ci/run makes it.`);
  });
  const agent = fileURLToPath(new URL("./python_agent.py", import.meta.url));
  return { file, args: [agent], env: { PYTHONPATH: PYTHON_PACKAGE, PYTHONDONTWRITEBYTECODE: "1" } };
}
