// The agent of the benchmark in Node: commands on standard input, answers on standard output.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { ReadableStream } from "node:stream/web";
import { setTimeout as delay } from "node:timers/promises";
import { initializeLogger, type metrics, voice } from "@livekit/agents";
import { AudioFrame, Room } from "@livekit/rtc-node";
import { AvatarSession } from "../../../../sdk/livekit-agents/index.ts";
import type { AgentCommands, SaidTurn } from "./agent-process.ts";

type Handlers = {
  [Name in keyof AgentCommands]: (argument: AgentCommands[Name]["argument"]) => Promise<AgentCommands[Name]["result"]>;
};

const RATE_HZ = 16_000;
const FRAME_SAMPLES = RATE_HZ / 10;
/** Metrics of a turn come with its message, which may be added after the turn's end. */
const METRICS_WAIT_MS = 100;

let room: Room | undefined;
let session: voice.AgentSession | undefined;
let avatar: AvatarSession | undefined;
let collected: metrics.AvatarMetrics[] = [];
let finished: SaidTurn["finished"] = [];

const handlers: Handlers = {
  async start({ url, token, agentId, avatarIdentity }) {
    collected = [];
    room = new Room();
    await room.connect(url, token, { autoSubscribe: true, dynacast: false });
    session = new voice.AgentSession({});
    let startMs = 0;
    if (agentId !== undefined) {
      avatar = new AvatarSession({ agentId, avatarParticipantIdentity: avatarIdentity });
      avatar.on("metrics_collected", (each: metrics.AvatarMetrics) => collected.push(each));
      const at = performance.now();
      await avatar.start(session, room);
      startMs = performance.now() - at;
      session.output.audio?.on(voice.AudioOutput.EVENT_PLAYBACK_FINISHED, (event: voice.PlaybackFinishedEvent) => {
        finished.push({ interrupted: event.interrupted, positionS: event.playbackPosition });
      });
    }
    await session.start({ agent: new voice.Agent({ instructions: "You read out." }), room, record: false });
    return { startMs };
  },
  async join() {
    await avatar?.waitForJoin();
    const { sessionStartedAt = 0, avatarJoinedAt = 0 } = collected.find((each) => each.avatarJoinedAt) ?? {};
    return { joinMs: avatarJoinedAt - sessionStartedAt };
  },
  async say({ text, file }) {
    if (!session) throw new Error("no session");
    finished = [];
    collected = [];
    const samples = toSamples(await readFile(file));
    const said = session.say(text, { audio: framesOf(samples) });
    await said.waitForPlayout();
    await delay(METRICS_WAIT_MS);
    const { playbackLatencyMs = null } = collected.find((each) => each.playbackLatencyMs !== undefined) ?? {};
    return { wasInterrupted: said.interrupted, playbackLatencyMs, finished };
  },
  async interrupt() {
    await session?.interrupt().await;
    return {};
  },
  async close() {
    await avatar?.aclose();
    await session?.close();
    await room?.disconnect();
    avatar = session = room = undefined;
    return {};
  },
  async collect() {
    globalThis.gc?.();
    return {};
  },
};

initializeLogger({ pretty: false, level: "silent" });
createInterface({ input: process.stdin })
  .on("line", (line) => void answer(JSON.parse(line)))
  .on("close", () => process.exit());

async function answer({ id, command, ...argument }: { id: number; command: keyof AgentCommands }): Promise<void> {
  let reply: object;
  try {
    reply = { id, result: await handlers[command](argument as never) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}

function framesOf(samples: Int16Array): ReadableStream<AudioFrame> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      const piece = samples.slice(at, at + FRAME_SAMPLES);
      at += FRAME_SAMPLES;
      if (piece.length === 0) controller.close();
      else controller.enqueue(new AudioFrame(piece, RATE_HZ, 1, piece.length));
    },
  });
}

function toSamples(bytes: Buffer): Int16Array {
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
