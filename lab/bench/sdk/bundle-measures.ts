// What an avatar file costs the agent that shows it without a service: its event loop, CPU time and memory.
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AvatarListener } from "../../../cli/demo/avatar-listener.ts";
import { openAvatarRoom } from "../../../cli/demo/avatar-room.ts";
import { mintRoomToken } from "../../../cli/service/room-token.ts";
import { bundle as bundleProgram } from "../../../cli/start/build/bundle.ts";
import { bake } from "../../../sdk/engine/node.ts";
import { AGENT_NAME } from "../../../shared/wire-names.ts";
import { cpuBetween, type ProcessCpu, readProcessTree } from "../cpu-time.ts";
import type { DrivenService } from "../service/own-service.ts";
import { speakFor } from "../speech.ts";
import { SpeechSender } from "../speech-sender.ts";
import type { BundleAgentMessage, BundleAgentTask } from "./bundle-agent.ts";
import type { Figure } from "./figure.ts";
import type { SdkBench } from "./sdk-part.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** The agent, and the process that it starts for its face: bundled, as in the package. */
const PROGRAMS = {
  "bundle-agent": join(ROOT, "lab/bench/sdk/bundle-agent.ts"),
  "bundle-program": join(ROOT, "sdk/livekit-agents/bundle/bundle-program.ts"),
};
const OUT_FOLDER = join(ROOT, "node_modules", ".cache", "open-avatar-service", "sdk-bench");
const PORTRAIT = join(ROOT, "models/gallery/maya.png");
const AGENT = "voice-agent";
const SPEECH_S = 20;
/** What a start costs is over by then, ms. */
const SETTLED_MS = 3_000;
const LIVE_TIMEOUT_MS = 30_000;

/** An agent that spoke for `SPEECH_S`, and what it took. */
interface Spoken {
  startS: number;
  /** Of the avatar's process, in cores. */
  faceCores: number;
  /** Proportional set size of the avatar's process, MB. */
  faceMb: number;
  fps: number;
  whileSpeakingMs: number;
  whileStartingMs: number;
}

export async function measureBundle({ service: start }: Pick<SdkBench, "service">): Promise<Figure[]> {
  const service = await start();
  const sentences = await speakFor(SPEECH_S);
  const speech = Int16Array.from(sentences.flatMap((sentence) => [...sentence]));
  const bundle = await bake(PORTRAIT);
  const programs = new Map(Object.entries(PROGRAMS).map(([name, source]) => [source, programOf(name)]));
  await bundleProgram({ entries: PROGRAMS, outFolder: OUT_FOLDER, programs });
  const without = await speakAs(service, undefined, speech);
  const beside = await speakAs(service, bundle, speech);
  const workerCores = await speakThroughWorker(service, speech);
  const aboveMs = Math.max(0, beside.whileSpeakingMs - without.whileSpeakingMs);
  const lower = (name: string, value: number, unit: string, goal: number): Figure => {
    return { name, value: rounded(value), unit, goal, better: "lower" };
  };
  return [
    lower("Bundle in an agent: start to its face in the room", beside.startS, "s", 1),
    lower("Agent's event loop while its face starts, p99", beside.whileStartingMs, "ms", 10),
    lower("Agent's event loop while its face speaks, p99 above an agent without", aboveMs, "ms", 2),
    { name: "Frames of a bundle", value: rounded(beside.fps), unit: "fps", goal: 24.5, better: "higher" },
    lower("CPU of a bundle's process", beside.faceCores, "cores", 0.3),
    lower("CPU of a bundle's process to that of a worker's session", beside.faceCores / workerCores, "×", 1.1),
    lower("Memory of a bundle's process", beside.faceMb, "MB", 150),
  ];
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

async function speakAs(service: DrivenService, bundle: Uint8Array | undefined, speech: Int16Array): Promise<Spoken> {
  const { livekit } = service;
  const roomName = `bundle-${randomUUID()}`;
  let frames = 0;
  const listener = new AvatarListener(AGENT_NAME, { onFrame: () => void frames++, onAudio: () => undefined });
  await listener.start(livekit.url, await mintRoomToken(livekit, { roomName, identity: "listener" }));
  const agent = fork(programOf("bundle-agent"), [], {
    execArgv: [],
    env: { PATH: "/usr/bin:/bin", NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    serialization: "advanced",
  });
  const gone = once(agent, "exit");
  try {
    agent.send({
      bundle,
      speech,
      livekitUrl: livekit.url,
      roomName,
      agentToken: await mintRoomToken(livekit, { roomName, identity: AGENT }),
      avatarToken: await mintRoomToken(livekit, { roomName, identity: AGENT_NAME, avatarFor: AGENT }),
      avatarIdentity: AGENT_NAME,
    } satisfies BundleAgentTask);
    const joined = await answerOf(agent, "joined");
    await delay(SETTLED_MS);
    const face = async () => (joined.facePid === undefined ? [] : readProcessTree(joined.facePid));
    const [before, startedMs] = [await face(), performance.now()];
    frames = 0;
    const speaking = answerOf(agent, "spoken");
    agent.send("speak");
    const { whileSpeakingMs, whileStartingMs } = await speaking;
    const spanMs = performance.now() - startedMs;
    return {
      startS: joined.startMs / 1000,
      faceCores: coresOf(before, await face(), spanMs),
      faceMb: joined.facePid === undefined ? 0 : await megabytesOf(joined.facePid),
      fps: frames / (spanMs / 1000),
      whileSpeakingMs,
      whileStartingMs,
    };
  } finally {
    // Its face leaves with it.
    setTimeout(() => agent.kill("SIGKILL"), SETTLED_MS).unref();
    await gone;
    await listener.close();
  }
}

/** The same speech through a session of the service; CPU time of its process, in cores. */
async function speakThroughWorker(service: DrivenService, speech: Int16Array): Promise<number> {
  const events = { onFrame: () => undefined, onAudio: () => undefined };
  const room = await openAvatarRoom({ service, agentCode: service.agentCode, senderIdentity: AGENT, events });
  const sender = new SpeechSender(room.avatarIdentity);
  try {
    await sender.start(service.livekit.url, await room.mintToken(AGENT));
    await room.waitUntilLive(LIVE_TIMEOUT_MS);
    await delay(SETTLED_MS);
    const [before, startedMs] = [await readProcessTree(process.pid), performance.now()];
    await sender.sendInRealTime(speech);
    const after = await readProcessTree(process.pid);
    const isSession = await Promise.all(after.map(({ pid }) => runs(pid, "session.mjs")));
    return Math.max(
      ...after
        .filter((_, index) => isSession[index])
        .map((one) => coresOf(before, [one], performance.now() - startedMs)),
    );
  } finally {
    await sender.close();
    await room.close();
  }
}

function programOf(name: string): string {
  return join(OUT_FOLDER, `${name}.mjs`);
}

function coresOf(before: readonly ProcessCpu[], after: readonly ProcessCpu[], spanMs: number): number {
  return cpuBetween(before, after) / spanMs;
}

async function runs(pid: number, program: string): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return command.includes(program);
}

async function megabytesOf(pid: number): Promise<number> {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(kilobytes) / 1000;
}

async function answerOf<Type extends BundleAgentMessage["type"]>(
  agent: ChildProcess,
  type: Type,
): Promise<Extract<BundleAgentMessage, { type: Type }>> {
  const gone = once(agent, "exit").then(() => {
    throw new Error("the agent has ended");
  });
  gone.catch(() => undefined);
  for (;;) {
    const [message] = (await Promise.race([once(agent, "message"), gone])) as [BundleAgentMessage];
    if (message.type === type) return message as Extract<BundleAgentMessage, { type: Type }>;
  }
}
