// What the relay adds to a server: time of an event, CPU of busy calls, memory of idle ones.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Progress } from "../../../cli/start/progress.ts";
import { cpuBetween } from "../cpu-time.ts";
import { percentile, summarize } from "../percentile.ts";
import { round } from "../round.ts";
import { readPssMb } from "../service/memory.ts";
import { readRelay } from "./read-relay.ts";
import type { EventMetrics } from "./realtime-metrics.ts";

/** Event size and rate of a microphone: 20 ms of 24 kHz, 16 bits, in base64. */
const EVENT = JSON.stringify({ type: "input_audio_buffer.append", audio: Buffer.alloc(960, 7).toString("base64") });
const EVENT_MS = 20;
const TIMED_EVENTS = 1_500;
const WARM_UP_EVENTS = 200;
const BUSY_SOCKETS = 50;
const BUSY_S = 20;
export const IDLE_SOCKETS = 500;
/** The api lets one address open 120 calls a minute, so idle calls come from several addresses of this machine. */
const SOCKETS_OF_ADDRESS = 50;
/** Calls that open at the same time. */
const OPEN_AT_ONCE = 10;
const SETTLE_MS = 3_000;

export interface MeasureEventsOptions {
  /** `ws://…` of the server, and of the relay in front of it. */
  directUrl: string;
  relayUrl: string;
  /** With the credential. */
  headers: Record<string, string>;
  relayPid: number;
  idleSockets: number;
  progress: Progress;
}

/** The relay must not have had a call before: its memory without one is measured. */
export async function measureEvents(options: MeasureEventsOptions): Promise<EventMetrics> {
  const { progress, directUrl, relayUrl, headers, relayPid, idleSockets } = options;
  await delay(SETTLE_MS);
  const emptyMb = await readPssMb([relayPid]);
  const step = <T>(name: string, work: () => Promise<T>) => progress.step(name, work, () => "done");
  const [direct, relayed] = await step("latency", () => compareLatency(directUrl, relayUrl, headers));
  const busy = await step("busy calls", () => measureBusy(relayUrl, headers, relayPid));
  const fullMb = await step("idle calls", () => measureIdle({ relayUrl, headers, relayPid, sockets: idleSockets }));
  return {
    direct_ms: summarize(direct),
    relayed_ms: summarize(relayed),
    added_p95_ms: round(percentile(relayed, 0.95) - percentile(direct, 0.95)),
    busy,
    idle: { sockets: idleSockets, empty_mb: emptyMb, full_mb: fullMb, added_mb: round(fullMb - emptyMb) },
  };
}

/** Both in turns, so that other load affects both alike. */
async function compareLatency(
  directUrl: string,
  relayUrl: string,
  headers: Record<string, string>,
): Promise<[number[], number[]]> {
  const sockets = [await open(directUrl, {}), await open(relayUrl, headers)];
  const times: [number[], number[]] = [[], []];
  for (let event = 0; event < TIMED_EVENTS + WARM_UP_EVENTS; event++) {
    for (const [index, socket] of sockets.entries()) {
      const startedMs = performance.now();
      const answer = once(socket, "message");
      socket.send(EVENT);
      await answer;
      if (event >= WARM_UP_EVENTS) times[index].push(performance.now() - startedMs);
    }
    await delay(2);
  }
  for (const socket of sockets) socket.terminate();
  return times;
}

async function measureBusy(
  relayUrl: string,
  headers: Record<string, string>,
  relayPid: number,
): Promise<EventMetrics["busy"]> {
  const sockets = await Promise.all(Array.from({ length: BUSY_SOCKETS }, () => open(relayUrl, headers)));
  let received = 0;
  for (const socket of sockets) socket.on("message", () => received++);
  const timers = sockets.map((socket) => setInterval(() => socket.send(EVENT), EVENT_MS));
  await delay(SETTLE_MS);
  const before = await readRelay(relayPid);
  const [startedMs, earlier] = [performance.now(), received];
  await delay(BUSY_S * 1000);
  const spanMs = performance.now() - startedMs;
  const cpuMs = cpuBetween(before, await readRelay(relayPid));
  const events = received - earlier;
  for (const timer of timers) clearInterval(timer);
  for (const socket of sockets) socket.terminate();
  return {
    sockets: BUSY_SOCKETS,
    events_per_s: Math.round((events / spanMs) * 1000),
    relay_core_percent: round((cpuMs / spanMs) * 100),
  };
}

async function measureIdle(options: {
  relayUrl: string;
  headers: Record<string, string>;
  relayPid: number;
  sockets: number;
}): Promise<number> {
  const sockets: WebSocket[] = [];
  while (sockets.length < options.sockets) {
    const localAddress = `127.0.0.${2 + Math.floor(sockets.length / SOCKETS_OF_ADDRESS)}`;
    const count = Math.min(OPEN_AT_ONCE, options.sockets - sockets.length);
    const opening = Array.from({ length: count }, () => open(options.relayUrl, options.headers, localAddress));
    sockets.push(...(await Promise.all(opening)));
  }
  await delay(SETTLE_MS);
  const memoryMb = await readPssMb([options.relayPid]);
  for (const socket of sockets) socket.terminate();
  return memoryMb;
}

/** A call that has begun. Throws if it is refused. */
async function open(url: string, headers: Record<string, string>, localAddress?: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { headers, localAddress, perMessageDeflate: false });
  await once(socket, "message");
  socket.on("error", () => undefined);
  return socket;
}
