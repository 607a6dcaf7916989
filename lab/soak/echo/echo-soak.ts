// Minutes of an avatar on a loudspeaker in many rooms: it must not hear itself, and a person must be heard.

import { joinPieces } from "../../../src/speech/voice/join-pieces.ts";
import { NeuralVoice } from "../../../src/speech/voice/neural/neural-voice.ts";
import { toSpeechAudio } from "../../../test/helpers/speech/spoken.ts";
import { createSeededRandom } from "../seeded-random.ts";
import { createEchoScene, type EchoSceneOptions } from "./echo-scene.ts";
import { playScene } from "./play-scene.ts";

const SENTENCES = [
  "Please bring my big blue paper bag back home before Monday.",
  "The weather was fine, so we walked along the river and talked about music.",
  "How many people would you like to invite, and where should they sit?",
  "Above the hills a small white cloud was moving slowly to the west.",
  "Five of the very first visitors gave their views on the new theatre.",
];
const AVATARS = ["F1", "M2"];
const PERSONS = ["F5", "M4"];
const SCENE_S = 60;
const FADES_S = [0.2, 0.4, 0.6];

type Room = Omit<EchoSceneOptions, "seconds" | "random" | "avatar" | "person">;

/** What echoes are like. Limits hold for the first one. */
const ROOMS: Readonly<Record<string, Room>> = {
  "-12 dB, 120 ms": {},
  "-6 dB, 60 ms": { echoDb: -6, delayMs: 60 },
  "-20 dB, 300 ms, distorted": { echoDb: -20, delayMs: 300, isDistorted: true },
  "500 ms, pauses": { delayMs: 500, pauseS: 2.5 },
  "delay jumps": { jumps: true },
  "lost packets": { loses: true },
  "bursts through a browser's canceller": { bursts: true },
  "clocks differ by 80 ppm": { driftPpm: 80 },
  "noise at -45 dB": { noiseDb: -45 },
};
/** Loudness of the person beside the echo, dB, and the latest cut-in at the 95th percentile, ms. */
const PERSON_LIMITS_MS: Readonly<Record<number, number>> = { 10: 300, 0: 600 };

export interface EchoSoakOptions {
  minutes: number;
  seed: number;
  report(line: string): void;
}

export interface EchoSoakResult {
  rooms: Record<string, EchoMetrics>;
  violations: string[];
}

export interface EchoMetrics {
  minutes: number;
  falseCutIns: number;
  cpuPercent: number;
  /** By loudness of the person beside the echo: how much later than without echo a cut-in is found. */
  cutIns: Record<string, { count: number; p50Ms: number; p95Ms: number; missed: number }>;
}

/** `minutes` of the avatar alone in the first room, a tenth of it in each other one. */
export async function soakEcho({ minutes, seed, report }: EchoSoakOptions): Promise<EchoSoakResult> {
  const random = createSeededRandom(seed);
  const [avatars, persons] = [await speak(AVATARS), (await speak(PERSONS)).flat()];
  const result: EchoSoakResult = { rooms: {}, violations: [] };
  for (const [name, room] of Object.entries(ROOMS)) {
    const isFirst = Object.keys(result.rooms).length === 0;
    const count = isFirst ? minutes : Math.max(2, Math.round(minutes / 10));
    const metrics: EchoMetrics = { minutes: count, falseCutIns: 0, cpuPercent: 0, cutIns: {} };
    const sceneOf = (person?: EchoSceneOptions["person"]) => {
      const common = { seconds: SCENE_S, random, avatar: random.pick(avatars), fadeS: random.pick(FADES_S) };
      return createEchoScene({ ...common, ...room, person });
    };
    for (let minute = 0; minute < count; minute++) {
      const { falseCutInsS, cpuShare } = await playScene(sceneOf());
      metrics.falseCutIns += falseCutInsS.length;
      metrics.cpuPercent += (100 * cpuShare) / count;
    }
    for (const [levelDb, limitMs] of Object.entries(PERSON_LIMITS_MS)) {
      const lateness: number[] = [];
      for (let minute = 0; minute < Math.max(2, Math.round(count / 2)); minute++) {
        const person = { sentences: persons, levelDb: Number(levelDb), firstS: 2, pauseS: 2 };
        const played = await playScene(sceneOf(person));
        lateness.push(...played.latenessMs);
      }
      lateness.sort((left, right) => left - right);
      const at = (share: number) => lateness[Math.min(lateness.length - 1, Math.floor(share * lateness.length))];
      const missed = lateness.filter((ms) => !Number.isFinite(ms)).length;
      metrics.cutIns[levelDb] = { count: lateness.length, p50Ms: at(0.5), p95Ms: at(0.95), missed };
      if (isFirst && !(at(0.95) <= limitMs)) result.violations.push(`${levelDb} dB: p95 ${at(0.95)} ms`);
    }
    if (isFirst && metrics.falseCutIns > 0) result.violations.push(`${metrics.falseCutIns} false cut-ins`);
    result.rooms[name] = metrics;
    report(describe(name, metrics));
  }
  return result;
}

function describe(name: string, { minutes, falseCutIns, cpuPercent, cutIns }: EchoMetrics): string {
  const levels = Object.entries(cutIns).map(
    ([db, { count, p50Ms, p95Ms, missed }]) => `${db} dB: ${p50Ms} / ${p95Ms} ms (${count}, ${missed} missed)`,
  );
  return `${name}: ${falseCutIns} false cut-ins in ${minutes} min; ${levels.join("; ")}; ${cpuPercent.toFixed(2)} % of a core`;
}

/** Sentences of each voice. */
async function speak(voices: readonly string[]): Promise<Float32Array[][]> {
  const voice = new NeuralVoice();
  const all: Float32Array[][] = [];
  try {
    for (const voiceId of voices) {
      const sentences: Float32Array[] = [];
      for (const sentence of SENTENCES) {
        for await (const spoken of joinPieces(voice.synthesize(sentence, { voiceId })))
          sentences.push(toSpeechAudio(spoken));
      }
      all.push(sentences);
    }
  } finally {
    await voice.close();
  }
  return all;
}
