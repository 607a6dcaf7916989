// One avatar session, measured at a LiveKit client in the room.
import { setTimeout as delay } from "node:timers/promises";
import type { HeardAudio } from "../../cli/demo/avatar-listener.ts";
import { openAvatarRoom } from "../../cli/demo/avatar-room.ts";
import { SpeechMeter } from "../../cli/demo/speech-meter.ts";
import { waitUntil } from "../../cli/service/wait-until.ts";
import type { Progress } from "../../cli/start/progress.ts";
import { DEMO_AGENT_CODE } from "../../cli/start/service/demo-agent.ts";
import type { ServiceAccess } from "../../cli/start/service/service-access.ts";
import { measureAudioDelays } from "./audio-delay.ts";
import { busiestProcess, readProcessTree } from "./cpu-time.ts";
import { percentile, summarize } from "./percentile.ts";
import { SENT_SAMPLE_RATE_HZ, speakFor } from "./speech.ts";
import { SpeechSender } from "./speech-sender.ts";

export interface SessionBenchOptions {
  service: ServiceAccess;
  progress: Progress;
  /** Length of the speech sent in real time, s. */
  speechS: number;
  /** Sessions that are started for the time to the first frame. */
  starts: number;
}

const SENDER_IDENTITY = "voice-agent";
const FIRST_FRAME_TIMEOUT_MS = 30_000;
/** Enough that the 95th percentile is not the largest; one second each. */
const AHEAD_UTTERANCES = 20;
/** A frame this much after its due time counts as late. */
const LATE_FRAME_MS = 80;
/** The worker warms its next process before each. */
const BETWEEN_STARTS_MS = 4000;
const SILENCE_MS = 500;
/** Audio levels: a step of 10 ms above this is speech. */
const ONSET_LEVEL = 300;

/** Measures starts, a long speech in real time, and speech pushed ahead. */
export async function benchSession(options: SessionBenchOptions) {
  const { progress, starts, speechS } = options;
  const firstFrameMs: number[] = [];
  for (let index = 0; index < starts; index++) {
    await delay(BETWEEN_STARTS_MS);
    firstFrameMs.push(
      await progress.step(
        "start",
        () => measureStart(options.service),
        (ms) => `${Math.round(ms)} ms`,
      ),
    );
  }
  const speech = await progress.step(
    "speech",
    () => speakFor(speechS),
    (all) => `${all.length} sentences`,
  );
  const running = await measureSpeech(options, speech);
  return { request_to_first_frame_ms: summarize(firstFrameMs), ...running };
}

/** From the launch request to the first frame at a listener who is in the room, ms. */
export async function measureStart(service: Pick<ServiceAccess, "client" | "livekit">): Promise<number> {
  let firstAtMs: number | null = null;
  const room = await openAvatarRoom({
    service,
    agentCode: DEMO_AGENT_CODE,
    events: {
      onFrame: ({ atMs }) => {
        firstAtMs ??= atMs;
      },
    },
  });
  try {
    await waitUntil(() => firstAtMs !== null, "a frame arrives", FIRST_FRAME_TIMEOUT_MS);
    return (firstAtMs ?? 0) - room.requestedAtMs;
  } finally {
    await room.close();
  }
}

async function measureSpeech({ service, progress }: SessionBenchOptions, sentences: Int16Array[]) {
  let meter = new SpeechMeter();
  let heard: HeardAudio[] = [];
  const room = await openAvatarRoom({
    service,
    agentCode: DEMO_AGENT_CODE,
    senderIdentity: SENDER_IDENTITY,
    events: {
      onFrame: (frame) => meter.addFrame(frame),
      onAudio(audio) {
        meter.addAudio(audio);
        heard.push({ ...audio, samples: audio.samples.slice() });
      },
    },
  });
  const sender = new SpeechSender(room.avatarIdentity);
  try {
    await sender.start(service.livekit.url, await room.mintToken(SENDER_IDENTITY));
    await waitUntil(() => meter.frameCount > 50, "the avatar shows frames", FIRST_FRAME_TIMEOUT_MS);
    meter = new SpeechMeter();
    heard = [];
    const treeBefore = service.workerPid ? await readProcessTree(service.workerPid) : [];
    const beganAtMs = performance.now();
    const sent = await progress.step(
      "real time",
      () => sender.sendInRealTime(join(sentences)),
      (pieces) => `${pieces.length} pieces sent`,
    );
    await sender.waitUntilFinished(1, FIRST_FRAME_TIMEOUT_MS);
    const wallMs = performance.now() - beganAtMs;
    const treeAfter = service.workerPid ? await readProcessTree(service.workerPid) : [];
    const realTime = { meter, delays: measureAudioDelays(sent, heard) };
    const sync = realTime.meter.measureLipSync();
    const gaps = realTime.meter.frameGapsMs();
    meter = new SpeechMeter();
    const ahead: number[] = [];
    for (let index = 0; index < AHEAD_UTTERANCES; index++) {
      // The last audio may still be on its way when its end is reported.
      await waitUntil(() => meter.silenceMs > SILENCE_MS, "the listener hears silence", FIRST_FRAME_TIMEOUT_MS);
      heard = [];
      ahead.push(await measureAhead(sender, firstSecond(sentences[index % sentences.length]), () => heard));
      await sender.waitUntilFinished(index + 2, FIRST_FRAME_TIMEOUT_MS);
    }
    const avatarCpu = busiestProcess(treeBefore, treeAfter);
    const audioP95 = realTime.delays.length > 0 ? summarize(realTime.delays) : null;
    return {
      speech_s: Math.round(wallMs / 100) / 10,
      received_fps: Math.round(realTime.meter.receivedFps() * 100) / 100,
      late_frames_percent: share(gaps.filter((gap) => gap > LATE_FRAME_MS).length, gaps.length),
      frame_gap_ms: summarize(gaps),
      audio_gaps: realTime.meter.audioGaps,
      real_time_audio_ms: audioP95,
      real_time_windows_found: realTime.delays.length,
      lip_sync_skew_ms: sync.skewMs,
      lip_sync_strength: sync.strength,
      real_time_mouth_p95_ms: audioP95 ? Math.round(audioP95.p95 + sync.skewMs) : null,
      ahead_first_audio_ms: summarize(ahead),
      ahead_first_mouth_p95_ms: Math.round(percentile(ahead, 0.95) + sync.skewMs),
      avatar_process_core_percent: avatarCpu ? share(avatarCpu.cpuMs, wallMs) : null,
    };
  } finally {
    await sender.close();
    await room.close();
  }
}

/** From sending the first chunk to the first speech heard, less the leading silence of the utterance, ms. */
async function measureAhead(sender: SpeechSender, utterance: Int16Array, heard: () => HeardAudio[]): Promise<number> {
  const sentAtMs = await sender.sendAhead(utterance);
  const find = () => heard().find(({ atMs, samples }) => atMs > sentAtMs && level(samples) > ONSET_LEVEL);
  await waitUntil(() => find() !== undefined, "speech is heard", FIRST_FRAME_TIMEOUT_MS);
  const stepSamples = SENT_SAMPLE_RATE_HZ / 100;
  let silentSteps = 0;
  while (level(utterance.subarray(silentSteps * stepSamples, (silentSteps + 1) * stepSamples)) <= ONSET_LEVEL) {
    silentSteps += 1;
  }
  return (find()?.atMs ?? 0) - sentAtMs - silentSteps * 10;
}

function firstSecond(sentence: Int16Array): Int16Array {
  return sentence.subarray(0, SENT_SAMPLE_RATE_HZ);
}

function level(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}

function join(parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
}
