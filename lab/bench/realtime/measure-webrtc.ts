// What a call over WebRTC costs the relay, and how late the caller's microphone reaches the upstream.
import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { speakTexts } from "../../../cli/conversation/person-voice.ts";
import { PERSON_RATE_HZ } from "../../../cli/conversation/scripted-person.ts";
import { waitUntil } from "../../../cli/service/wait-until.ts";
import type { Progress } from "../../../cli/start/progress.ts";
import { int16AtRate } from "../../../src/signal/audio/at-rate.ts";
import { joinSamples } from "../../../src/signal/audio/join-samples.ts";
import { toSharedMs } from "../clients/shared-clock.ts";
import { QUESTIONS } from "../conversation/person-script.ts";
import { cpuBetween } from "../cpu-time.ts";
import { percentile, summarize } from "../percentile.ts";
import { round } from "../round.ts";
import { readPssMb } from "../service/memory.ts";
import { readRelay } from "./read-relay.ts";
import type { WebRtcMetrics } from "./realtime-metrics.ts";
import type { SpeakingServerCommand, SpeakingServerReport } from "./speaking-server.ts";
import { CALLER_RATE_HZ, WebRtcCaller } from "./webrtc-caller.ts";

const TONES = 20;
const TONE_MS = 100;
const TONE_HZ = 300;
/** Between two tones; odd, so that tones begin anywhere in a packet. */
const PAUSE_MS = 403;
const HEARD_TIMEOUT_MS = 5_000;
/** A block has been recorded before it leaves the microphone, ms. */
const BLOCK_MS = 10;
const SETTLE_MS = 3_000;
const SPANS = 3;
const SPAN_S = 8;

export interface MeasureWebRtcOptions {
  /** `http://…/v1/realtime/connect?model=…`: leads to `upstream`. */
  url: string;
  headers: Record<string, string>;
  relayPid: number;
  /** Process of `speaking-server.ts`. */
  upstream: ChildProcess;
  progress: Progress;
}

export async function measureWebRtc(options: MeasureWebRtcOptions): Promise<WebRtcMetrics> {
  const { url, headers, relayPid, upstream, progress } = options;
  const step = <T>(name: string, work: () => Promise<T>) => progress.step(name, work, () => "done");
  const speech = await step("speech", async () => joinSamples(await speakTexts(QUESTIONS)));
  const emptyPercent = await coreOf(relayPid, SPAN_S);
  const emptyMb = await readPssMb([relayPid]);
  const caller = await WebRtcCaller.call(url, headers);
  try {
    await delay(SETTLE_MS);
    const latency = await step("microphone", () => timeTones(caller, upstream));
    const cost = await step("cost of a call", () => measureCost({ caller, upstream, relayPid, speech }));
    return {
      microphone_ms: summarize(latency),
      tones: TONES,
      tones_lost: TONES - latency.length,
      relay_core_percent: { without_call: emptyPercent, ...cost },
      memory_mb: {
        without_call: emptyMb,
        with_call: await readPssMb((await readRelay(relayPid)).map(({ pid }) => pid)),
      },
    };
  } finally {
    await caller.close();
  }
}

/** From the first sample of each tone to the arrival of the event that holds it, ms. */
async function timeTones(caller: WebRtcCaller, upstream: ChildProcess): Promise<number[]> {
  const heardMs: number[] = [];
  const onReport = (report: SpeakingServerReport) => {
    if ("heardAtMs" in report) heardMs.push(report.heardAtMs - toSharedMs(0));
  };
  upstream.on("message", onReport);
  const times: number[] = [];
  for (let tone = 0; tone < TONES; tone++) {
    const { startMs } = await caller.say(toneOf());
    const since = () => heardMs.find((atMs) => atMs >= startMs);
    await waitUntil(() => since() !== undefined, "a tone is heard", HEARD_TIMEOUT_MS).catch(() => undefined);
    const atMs = since();
    if (atMs !== undefined) times.push(atMs - startMs + BLOCK_MS);
    await delay(PAUSE_MS);
  }
  upstream.off("message", onReport);
  return times;
}

/** Medians of spans in turns, so that other load affects all alike, in percent of a core. */
async function measureCost(options: {
  caller: WebRtcCaller;
  upstream: ChildProcess;
  relayPid: number;
  /** Mono at 16 kHz. */
  speech: Int16Array;
}): Promise<{ silent: number; speaking: number }> {
  const { caller, upstream, relayPid, speech } = options;
  const own = int16AtRate(speech, PERSON_RATE_HZ, CALLER_RATE_HZ);
  const theirs: SpeakingServerCommand = { speech: int16AtRate(speech, PERSON_RATE_HZ, 24_000) };
  const spans: Record<"silent" | "speaking", number[]> = { silent: [], speaking: [] };
  for (let span = 0; span < SPANS; span++) {
    spans.silent.push(await coreOf(relayPid, SPAN_S));
    upstream.send(theirs);
    const said = caller.say(own);
    await delay(SETTLE_MS / 3);
    spans.speaking.push(await coreOf(relayPid, SPAN_S));
    upstream.send({ speech: null } satisfies SpeakingServerCommand);
    await said;
    await delay(SETTLE_MS / 3);
  }
  return { silent: percentile(spans.silent, 0.5), speaking: percentile(spans.speaking, 0.5) };
}

async function coreOf(relayPid: number, seconds: number): Promise<number> {
  const before = await readRelay(relayPid);
  const startedMs = performance.now();
  await delay(seconds * 1000);
  const spanMs = performance.now() - startedMs;
  return round((cpuBetween(before, await readRelay(relayPid)) / spanMs) * 100);
}

function toneOf(): Int16Array {
  const length = (CALLER_RATE_HZ * TONE_MS) / 1000;
  return Int16Array.from({ length }, (_, index) => 8_000 * Math.sin((index * 2 * Math.PI * TONE_HZ) / CALLER_RATE_HZ));
}
