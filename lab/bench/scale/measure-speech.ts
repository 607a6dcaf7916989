// Latency of one session: speech right after joining, and replies that are pushed at once.
import { setTimeout as delay } from "node:timers/promises";
import { percentile, summarize } from "../percentile.ts";
import { closeSession, openSession } from "../service/session-opener.ts";
import { SENT_SAMPLE_RATE_HZ } from "../speech.ts";
import type { Materials } from "./materials.ts";
import { firstFrameAtMs, type StartOptions, waitUntilQuiet } from "./measure-starts.ts";
import type { SpeechMetrics } from "./scale-metrics.ts";

export interface SpeechOptions extends StartOptions {
  materials: Materials;
}

const AFTER_JOINING_S = 10;
/** Enough that the 95th percentile is not the largest. */
const REPLIES = 20;
const REPLY_S = 1;
const SILENCE_MS = 500;
const TIMEOUT_MS = 30_000;
const LAST_SOUND_MS = 1500;
const STEP_MS = 10;
/** Root of the mean square above which a step of sent speech is no pause; the judge's level. */
const ONSET_LEVEL = 300;

/** Opens a session, speaks as soon as it shows a frame, then pushes replies. */
export async function measureSpeech(options: SpeechOptions): Promise<SpeechMetrics> {
  const { service, clients, materials, processes } = options;
  await waitUntilQuiet(processes);
  const session = await openSession(service, clients.judge, clients.senders);
  const { id } = session;
  const judge = clients.judge.process;
  try {
    await firstFrameAtMs(id, clients);
    await judge.call("begin", { id });
    const sentAtMs = await clients.senders.call("speak", { id, seconds: AFTER_JOINING_S, fromS: 0 });
    await delay(LAST_SOUND_MS);
    const afterJoining = await judge.call("judge", { id, sentAtMs, speechFile: materials.speechFile, fromS: 0 });
    await clients.senders.call("waitUntilFinished", { id, count: 1, timeoutMs: TIMEOUT_MS });
    const ahead: number[] = [];
    for (let index = 0; index < REPLIES; index++) {
      // The last audio may still be on its way when its end is reported.
      await judge.call("waitForSilence", { id, silenceMs: SILENCE_MS, timeoutMs: TIMEOUT_MS });
      const fromS = materials.sentencesFromS[index % materials.sentencesFromS.length];
      const sinceMs = await clients.senders.call("sendAhead", { id, seconds: REPLY_S, fromS });
      const heardAtMs = await judge.call("firstSoundAtMs", { id, sinceMs, timeoutMs: TIMEOUT_MS });
      ahead.push(heardAtMs - sinceMs - leadingPauseMs(materials.speech, fromS));
      await clients.senders.call("waitUntilFinished", { id, count: index + 2, timeoutMs: TIMEOUT_MS });
    }
    return {
      after_joining: afterJoining,
      ahead_first_audio_ms: summarize(ahead),
      ahead_first_mouth_p95_ms: Math.round(percentile(ahead, 0.95) + (afterJoining.skew_ms ?? 0)),
    };
  } finally {
    await closeSession(service, session, clients.senders);
  }
}

/** Length of the pause with which the speech begins at `fromS`, ms. */
function leadingPauseMs(speech: Int16Array, fromS: number): number {
  const step = (SENT_SAMPLE_RATE_HZ * STEP_MS) / 1000;
  let steps = 0;
  for (let at = Math.round(fromS * SENT_SAMPLE_RATE_HZ); at + step <= speech.length; at += step) {
    if (level(speech.subarray(at, at + step)) > ONSET_LEVEL) break;
    steps += 1;
  }
  return steps * STEP_MS;
}

function level(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
