// Sounds of a person that are no words: coughs and knocks of shaped noise, hums by voices.
import { speakTexts } from "../../../cli/conversation/person-voice.ts";
import { PERSON_RATE_HZ as RATE_HZ } from "../../../cli/conversation/scripted-person.ts";

export type NonWordKind = "cough" | "hum" | "knock";

export interface NonWord {
  kind: NonWordKind;
  /** Mono at 16 kHz. */
  samples: Int16Array;
}

const HUMS = ["Mhm.", "Mm-hmm.", "Uh-huh.", "Hmm."] as const;
const HUMMERS = ["F2", "M1", "F4", "M3", "F1"] as const;
const MAX_LEVEL = 9_000;

/** `count` sounds, the three kinds in turn. Always the same. */
export async function makeNonWords(count: number): Promise<NonWord[]> {
  const each = Math.ceil(count / 3);
  const hums: Int16Array[] = [];
  for (const voice of HUMMERS.slice(0, Math.ceil(each / HUMS.length))) hums.push(...(await speakTexts(HUMS, voice)));
  return Array.from({ length: count }, (_, index): NonWord => {
    const turn = Math.floor(index / 3);
    if (index % 3 === 0) return { kind: "cough", samples: cough(turn + 1) };
    if (index % 3 === 1) return { kind: "hum", samples: hums[turn % hums.length] };
    return { kind: "knock", samples: knocks(turn + 1) };
  });
}

/** One or two coughs: a hard onset, then breath through the throat's resonances. */
export function cough(seed: number): Int16Array {
  const random = randomFrom(seed);
  const bursts = 1 + (seed % 2);
  const parts: Float32Array[] = [];
  for (let burst = 0; burst < bursts; burst++) {
    const noise = Float32Array.from({ length: seconds(0.16 + 0.12 * random()) }, () => random() * 2 - 1);
    const low = resonate(noise, 450 + 250 * random(), 250);
    const high = resonate(noise, 1_400 + 900 * random(), 600);
    const decayS = 0.05 + 0.04 * random();
    parts.push(low.map((value, at) => (value + 0.6 * high[at]) * Math.exp(-at / RATE_HZ / decayS)));
    parts.push(new Float32Array(seconds(0.08 + 0.06 * random())));
  }
  return toLevel(parts.slice(0, -1));
}

/** Two or three knocks on a table. */
export function knocks(seed: number): Int16Array {
  const random = randomFrom(1_000 + seed);
  const parts: Float32Array[] = [];
  for (let knock = 0; knock < 2 + (seed % 2); knock++) {
    const noise = Float32Array.from({ length: seconds(0.09) }, () => random() * 2 - 1);
    const wood = resonate(noise, 140 + 120 * random(), 80);
    parts.push(wood.map((value, at) => value * Math.exp(-at / RATE_HZ / 0.018)));
    parts.push(new Float32Array(seconds(0.09 + 0.06 * random())));
  }
  return toLevel(parts.slice(0, -1));
}

function seconds(duration: number): number {
  return Math.round(duration * RATE_HZ);
}

/** A resonance of two poles at `frequencyHz`. */
function resonate(input: Float32Array, frequencyHz: number, bandwidthHz: number): Float32Array {
  const radius = Math.exp((-Math.PI * bandwidthHz) / RATE_HZ);
  const turn = 2 * radius * Math.cos((2 * Math.PI * frequencyHz) / RATE_HZ);
  const output = new Float32Array(input.length);
  for (let at = 0; at < input.length; at++) {
    output[at] = (1 - radius) * input[at] + turn * (output[at - 1] ?? 0) - radius * radius * (output[at - 2] ?? 0);
  }
  return output;
}

/** One sound of the parts, with the same peak for all. */
function toLevel(parts: readonly Float32Array[]): Int16Array {
  const all = parts.flatMap((part) => [...part]);
  const peak = all.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  return Int16Array.from(all, (value) => Math.round((value / peak) * MAX_LEVEL));
}

/** A small generator (mulberry32), 0 to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
