// Listeners who only take the packets, so that many sessions can be measured on one machine.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readFile, rename } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../../cli/start/processes/run-command.ts";
import type { JoinRequest, JudgeCommands } from "./client-messages.ts";
import { ClientProcess } from "./client-process.ts";
import { LATE_FRAME_MS } from "./listener-metrics.ts";

/** What one listener received since the last report. */
export interface PacketMetrics {
  /** Unix time, ms; null if no frame has arrived yet. */
  firstFrameAtMs: number | null;
  fps: number;
  lateFramesPercent: number;
  longestFrameGapMs: number;
  /** Longest time without an audio packet, ms; 0 if it was not measured. */
  longestAudioGapMs: number;
  /** 0 if it was not measured. */
  audioPackets: number;
  motionPackets: number;
  /** Of audio, video and motion, without the headers of UDP and IP; 0 if it was not measured. */
  receivedBytes: number;
  /** What the avatar has answered about this listener's needs; null before. */
  renders: string | null;
}

export interface Audience {
  readonly pid: number;
  /** True if it decodes what it receives, which costs much more. */
  readonly isDecoding: boolean;
  join(request: JoinRequest): Promise<void>;
  leave(id: string): Promise<void>;
  /** By the ids of the joins. */
  report(): Promise<Record<string, PacketMetrics>>;
  close(): Promise<void>;
}

export interface AudienceOptions {
  avatarIdentity: string;
  /** Like `process.env`: of the compiler, and with XDG_CACHE_HOME, where the compiled program is kept. */
  environment: Readonly<Record<string, string | undefined>>;
  report(line: string): void;
}

interface ProgramMetrics {
  first_frame_at_ms: number;
  frames: number;
  late_frames: number;
  span_ms: number;
  longest_frame_gap_ms: number;
  longest_audio_gap_ms: number;
  audio_packets: number;
  motion_packets: number;
  received_bytes: number;
  renders: string;
}

const SOURCE = fileURLToPath(new URL("../packet-listener", import.meta.url));
const COMPILE_TIMEOUT_MS = 20 * 60_000;

/** Starts the listeners' process. It is a Go program, compiled once; without a Go compiler it is one of Node, which
 *  decodes all video. */
export async function startAudience(options: AudienceOptions): Promise<Audience> {
  const program = await findProgram(options);
  return program ? new PacketListeners(program, options.avatarIdentity) : startDecodingAudience(options);
}

class PacketListeners implements Audience {
  readonly isDecoding = false;
  readonly #child: ChildProcess;
  readonly #avatarIdentity: string;
  /** Answers come in the order of the requests. */
  readonly #waiting: ((line: string) => void)[] = [];

  constructor(program: string, avatarIdentity: string) {
    this.#avatarIdentity = avatarIdentity;
    this.#child = spawn(program, [], { stdio: ["pipe", "pipe", "ignore"] });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#waiting.shift()?.(line));
    this.#child.once("exit", () => {
      for (const answer of this.#waiting.splice(0)) answer(`{"error":"the packet listener ended"}`);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async join({ id, url, token, needs }: JoinRequest): Promise<void> {
    await this.#ask({ join: id, url, token, ...(needs && { avatar: this.#avatarIdentity, needs }) });
  }

  async leave(id: string): Promise<void> {
    await this.#ask({ leave: id });
  }

  async report(): Promise<Record<string, PacketMetrics>> {
    const all = (await this.#ask({ report: true })) as Record<string, ProgramMetrics>;
    return Object.fromEntries(Object.entries(all).map(([id, metrics]) => [id, toMetrics(metrics)]));
  }

  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
  }

  async #ask(request: object): Promise<unknown> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) throw new Error("the packet listener ended");
    const line = await new Promise<string>((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
    const answer = JSON.parse(line) as { error?: unknown };
    if (typeof answer.error === "string") throw new Error(`packet listener: ${answer.error}`);
    return answer;
  }
}

function toMetrics(metrics: ProgramMetrics): PacketMetrics {
  const intervals = Math.max(0, metrics.frames - 1);
  return {
    firstFrameAtMs: metrics.first_frame_at_ms || null,
    fps: metrics.span_ms > 0 ? Math.round((intervals * 10_000) / metrics.span_ms) / 10 : 0,
    lateFramesPercent: intervals > 0 ? Math.round((metrics.late_frames / intervals) * 1000) / 10 : 0,
    longestFrameGapMs: Math.round(metrics.longest_frame_gap_ms),
    longestAudioGapMs: Math.round(metrics.longest_audio_gap_ms),
    audioPackets: metrics.audio_packets,
    motionPackets: metrics.motion_packets,
    receivedBytes: metrics.received_bytes,
    renders: metrics.renders || null,
  };
}

async function startDecodingAudience({ avatarIdentity, report }: AudienceOptions): Promise<Audience> {
  report("no Go compiler: the other listeners decode what they receive, which costs about twice as much");
  const process = await ClientProcess.start<JudgeCommands>("judge");
  const ids = new Set<string>();
  return {
    pid: process.pid,
    isDecoding: true,
    async join(request) {
      await process.call("join", { ...request, avatarIdentity });
      ids.add(request.id);
    },
    async leave(id) {
      ids.delete(id);
      await process.call("leave", { id });
    },
    async report() {
      const metrics: Record<string, PacketMetrics> = {};
      for (const id of ids) {
        const times = await process.call("frameTimes", { id, sinceMs: 0 });
        const { packets } = await process.call("motion", { id });
        const renders = await process.call("renders", { id });
        await process.call("begin", { id });
        metrics[id] = { ...metricsOfTimes(times), motionPackets: packets, renders };
      }
      return metrics;
    },
    close: () => process.close(),
  };
}

/** Metrics of frames that arrived at these times, ms. */
function metricsOfTimes(times: readonly number[]): PacketMetrics {
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  return toMetrics({
    first_frame_at_ms: 0,
    frames: times.length,
    late_frames: gaps.filter((gap) => gap > LATE_FRAME_MS).length,
    span_ms: gaps.reduce((sum, gap) => sum + gap, 0),
    longest_frame_gap_ms: Math.max(0, ...gaps),
    longest_audio_gap_ms: 0,
    audio_packets: 0,
    motion_packets: 0,
    received_bytes: 0,
    renders: "",
  });
}

/** Path of the compiled program, by the hash of its sources; null without a Go compiler. Throws Error with the
 *  compiler's last line if it fails. */
async function findProgram({ environment, report }: AudienceOptions): Promise<string | null> {
  const sources = await Promise.all(["main.go", "go.mod", "go.sum"].map((name) => readFile(join(SOURCE, name))));
  const hash = createHash("sha256").update(Buffer.concat(sources)).digest("hex").slice(0, 12);
  const folder = join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "open-avatar-service", "bin");
  const program = join(folder, `packet-listener-${hash}`);
  if (await isThere(program)) return program;
  if ((await runCommand("go", ["version"])).status !== 0) return null;
  report("compiling the packet listener with Go: a minute or more, once");
  await mkdir(folder, { recursive: true });
  const draft = `${program}.${process.pid}`;
  const { status, output } = await runCommand("go", ["build", "-trimpath", "-o", draft, "."], {
    cwd: SOURCE,
    // No C compiler is needed.
    env: { ...environment, CGO_ENABLED: "0" },
    timeoutMs: COMPILE_TIMEOUT_MS,
  });
  if (status !== 0) throw new Error(`the packet listener cannot be compiled: ${output.trim().split("\n").at(-1)}`);
  await rename(draft, program);
  return program;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
