// One row: a number of sessions that all speak, and beside it as many publishers of prepared frames.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "../../../sdk/client/index.ts";
import type { PacketMetrics } from "../clients/audience.ts";
import type { PublisherCommands } from "../clients/client-messages.ts";
import { ClientProcess } from "../clients/client-process.ts";
import type { ListenerMetrics } from "../clients/listener-metrics.ts";
import { readProcesses } from "../cpu-time.ts";
import { startCpuMeter } from "../service/cpu-meter.ts";
import { partsOf, type ServiceProcesses } from "../service/find-service-processes.ts";
import { readPssMb } from "../service/memory.ts";
import type { DrivenService } from "../service/own-service.ts";
import {
  AVATAR_IDENTITY,
  closeSession,
  mintToken,
  type OpenedSession,
  openSession,
} from "../service/session-opener.ts";
import type { Materials } from "./materials.ts";
import { waitUntilQuiet } from "./measure-starts.ts";
import type { Judge, ScaleClients } from "./scale-clients.ts";
import { missedGoals } from "./scale-goals.ts";
import type { AudienceMetrics, EncodeOnlyMetrics, ScaleRow } from "./scale-metrics.ts";

export interface RowOptions {
  service: DrivenService;
  /** As they are now: a worker that died has another process id than before. */
  processes: ServiceProcesses;
  clients: ScaleClients;
  materials: Materials;
  /** Every listener decodes and judges. */
  decodeAll: boolean;
  /** Of the idle workers and api, MB. */
  idleMemoryMb: number;
}

/** Holes are counted in this time, s. */
export const WINDOW_S = 20;
const ENCODE_ONLY_S = 10;
/** Until launches have no more effect: the worker makes the next process ready. */
const SETTLE_MS = 4000;
const PUBLISHERS_SETTLE_MS = 3000;
const FIRST_FRAME_TIMEOUT_MS = 60_000;
/** Sound may still be on its way when its last piece was sent. */
const LAST_SOUND_MS = 1500;
/** Speech of each sender begins this much later in the text, s, so that not all say the same. */
const SPEECH_STEP_S = 5;
const ENCODE_ONLY = { codec: "h264", maxBitrateKbps: 2000 } as const;

/** Measures `sessions` sessions, then as many encode-only publishers. */
export async function measureRow(sessions: number, options: RowOptions): Promise<ScaleRow> {
  await waitUntilQuiet(options.processes);
  const row = await measureSessions(sessions, options);
  if (!row.cpu) return { ...row, missed: missedGoals(row) };
  await waitUntilQuiet(options.processes);
  const encodeOnly = await measureEncodeOnly(sessions, options);
  const whole = {
    ...row,
    encode_only: encodeOnly,
    times_encode_only: Math.round((row.cpu.service_per_session / encodeOnly.cpu_per_session) * 100) / 100,
  };
  return { ...whole, missed: missedGoals(whole) };
}

type Unjudged = Omit<ScaleRow, "missed">;

async function measureSessions(sessions: number, options: RowOptions): Promise<Unjudged> {
  const { service, processes, clients, decodeAll } = options;
  const opened: OpenedSession[] = [];
  try {
    for (const listener of await clients.listenersFor(sessions, decodeAll)) {
      opened.push(await openSession(service, listener, clients.senders));
    }
    if (!(await allShowFrames(opened, clients))) return { sessions, failed: "a session showed no frame" };
    await delay(SETTLE_MS);
    const judged = opened.filter(({ listener }) => clients.judges.some((judge) => judge === listener));
    for (const { id, listener } of judged) await (listener as Judge).process.call("begin", { id });
    await clients.audience.report();
    const helpers = { senders: [clients.senders.pid], listeners: clients.listenerPids() };
    const endMeter = await startCpuMeter(processes, helpers);
    const sent = await Promise.all(opened.map(({ id }, index) => speak(id, index, options)));
    const cpu = await endMeter();
    await delay(LAST_SOUND_MS);
    const packets = Object.values(await clients.audience.report());
    const memoryMb = await servingMemoryMb(processes);
    const metrics: ListenerMetrics[] = [];
    for (const { id, listener } of judged) {
      const index = opened.findIndex((session) => session.id === id);
      const request = {
        id,
        sentAtMs: sent[index],
        speechFile: options.materials.speechFile,
        fromS: fromS(index, options),
      };
      metrics.push(await (listener as Judge).process.call("judge", request));
    }
    return {
      sessions,
      judged: worstOf(metrics),
      audience: packets.length > 0 ? audienceMetrics(packets) : null,
      cpu: {
        service: cpu.service,
        service_per_session: Math.round((cpu.service / sessions) * 10) / 10,
        livekit: cpu.livekit,
        api: cpu.api,
        postgres: cpu.postgres,
        start: cpu.start,
        senders: cpu.helpers.senders,
        listeners: cpu.helpers.listeners,
      },
      memory_per_session_mb: Math.round((memoryMb - options.idleMemoryMb) / sessions),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) return { sessions, failed: String(error) };
    return { sessions, refused: { at_session: opened.length + 1, status: error.httpStatus, code: error.code } };
  } finally {
    for (const session of opened) await closeSession(service, session, clients.senders);
  }
}

/** First second of what the sender with this index says. */
function fromS(index: number, { materials }: RowOptions): number {
  return (index * SPEECH_STEP_S) % Math.max(SPEECH_STEP_S, Math.floor(materials.speechS) - WINDOW_S);
}

async function speak(id: string, index: number, options: RowOptions): Promise<number[]> {
  // Not all in the same millisecond.
  await delay((index * 40) / 3);
  return options.clients.senders.call("speak", { id, seconds: WINDOW_S, fromS: fromS(index, options) });
}

async function allShowFrames(opened: readonly OpenedSession[], clients: ScaleClients): Promise<boolean> {
  const deadline = performance.now() + FIRST_FRAME_TIMEOUT_MS;
  for (;;) {
    const packets = await clients.audience.report();
    const waits = await Promise.all(
      opened.map(async ({ id, listener }) => {
        const judge = clients.judges.find((each) => each === listener);
        if (judge) return (await judge.process.call("firstFrameAtMs", { id })) === null;
        return packets[id] === undefined || packets[id].fps === 0;
      }),
    );
    if (!waits.includes(true)) return true;
    if (performance.now() > deadline) return false;
    await delay(500);
  }
}

/** The worst value of each metric. */
function worstOf(all: readonly ListenerMetrics[]): ListenerMetrics {
  const worst = (key: "late_frames_percent" | "longest_frame_gap_ms" | "audio_holes") =>
    Math.max(...all.map((metrics) => metrics[key]));
  const [slowest] = [...all].sort((a, b) => a.fps - b.fps);
  const byAudio = [...all].sort((a, b) => (b.audio_ms?.p95 ?? Infinity) - (a.audio_ms?.p95 ?? Infinity))[0];
  const byMouth = [...all].sort((a, b) => (b.mouth_ms?.p95 ?? Infinity) - (a.mouth_ms?.p95 ?? Infinity))[0];
  const bySkew = [...all].sort((a, b) => Math.abs(b.skew_ms ?? Infinity) - Math.abs(a.skew_ms ?? Infinity))[0];
  return {
    fps: slowest.fps,
    late_frames_percent: worst("late_frames_percent"),
    longest_frame_gap_ms: worst("longest_frame_gap_ms"),
    audio_holes: worst("audio_holes"),
    audio_ms: byAudio.audio_ms,
    mouth_ms: byMouth.mouth_ms,
    skew_ms: bySkew.skew_ms,
    sync_strength: bySkew.sync_strength,
  };
}

function audienceMetrics(packets: readonly PacketMetrics[]): AudienceMetrics {
  return {
    listeners: packets.length,
    worst_fps: Math.min(...packets.map(({ fps }) => fps)),
    worst_late_frames_percent: Math.max(...packets.map(({ lateFramesPercent }) => lateFramesPercent)),
    longest_frame_gap_ms: Math.max(...packets.map(({ longestFrameGapMs }) => longestFrameGapMs)),
    longest_audio_gap_ms: Math.max(...packets.map(({ longestAudioGapMs }) => longestAudioGapMs)),
  };
}

/** Of the api and the workers with their session processes, MB. The start process takes no part in sessions. */
async function servingMemoryMb(processes: ServiceProcesses): Promise<number> {
  const { service, api } = partsOf(await readProcesses(), processes);
  return readPssMb([...service, ...api].map(({ pid }) => pid));
}

async function measureEncodeOnly(sessions: number, options: RowOptions): Promise<EncodeOnlyMetrics> {
  const { service, processes, clients, materials, decodeAll } = options;
  const listeners = await clients.listenersFor(sessions, decodeAll);
  const rooms = listeners.map((listener) => ({ id: randomUUID(), listener }));
  const publishers: ClientProcess<PublisherCommands>[] = [];
  const { url } = service.livekit;
  try {
    for (const { id, listener } of rooms) {
      const roomName = `bench-${id}`;
      await listener.join({ id, url, token: await mintToken(service, roomName, "listener") });
      const publisher = await ClientProcess.start<PublisherCommands>("publisher");
      publishers.push(publisher);
      const { framesFile, sizePx, audioFile } = materials;
      const token = await mintToken(service, roomName, AVATAR_IDENTITY);
      await publisher.call("publish", { url, token, framesFile, sizePx, audioFile, ...ENCODE_ONLY });
    }
    await delay(PUBLISHERS_SETTLE_MS);
    const [{ id }] = rooms;
    await clients.judge.process.call("begin", { id });
    const endMeter = await startCpuMeter(processes, { publishers: publishers.map(({ pid }) => pid) });
    await delay(ENCODE_ONLY_S * 1000);
    const { helpers, livekit } = await endMeter();
    const times = await clients.judge.process.call("frameTimes", { id, sinceMs: 0 });
    const spanMs = times[times.length - 1] - times[0];
    return {
      fps: Math.round(((times.length - 1) * 10_000) / spanMs) / 10,
      cpu_per_session: Math.round((helpers.publishers / sessions) * 10) / 10,
      livekit,
    };
  } finally {
    for (const { id, listener } of rooms) await listener.leave(id);
    await Promise.all(publishers.map((publisher) => publisher.close()));
  }
}
