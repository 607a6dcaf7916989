// An avatar on a loudspeaker, a room, a microphone and a person who cuts in: what was played and what the microphone
// records. All audio is mono at 16 kHz, −1 to 1.
import { createSpectrum, RealTransform } from "../../../src/signal/math/real-transform.ts";
import type { SeededRandom } from "../seeded-random.ts";

const RATE_HZ = 16_000;
/** Loudness of the avatar, RMS while it speaks: −20 dB. */
const AVATAR_RMS = 0.1;
const CONVOLUTION_LENGTH = 32_768;
/** Blocks that count as speech when loudness is measured. */
const BLOCK_SAMPLES = 320;
const SPEECH_POWER = 1e-5;

export interface EchoSceneOptions {
  seconds: number;
  random: SeededRandom;
  /** Sentences of the avatar, said one after the other in any order. */
  avatar: readonly Float32Array[];
  /** Level of the echo beside what was played. Default −12. */
  echoDb?: number;
  /** From the audio queue to the microphone. Default 120. */
  delayMs?: number;
  /** Time in which the room fades by 60 dB. Default 0.4. */
  fadeS?: number;
  /** Longest pause between sentences. Default 0.15. */
  pauseS?: number;
  /** The loudspeaker distorts. */
  isDistorted?: boolean;
  /** The delay changes every few seconds, by −50 to 250 ms. */
  jumps?: boolean;
  /** Of the microphone's 20 ms packets one in a hundred is lost. */
  loses?: boolean;
  /** The browser removes the echo, except for bursts of 50 to 200 ms. */
  bursts?: boolean;
  /** Difference of the clocks of loudspeaker and microphone. Default 0. */
  driftPpm?: number;
  /** Noise in the room. Default −65. */
  noiseDb?: number;
  person?: PersonOptions;
}

export interface PersonOptions {
  sentences: readonly Float32Array[];
  /** Loudness beside the echo. */
  levelDb: number;
  /** Start of the first sentence. */
  firstS: number;
  /** Pause between sentences. */
  pauseS: number;
}

export interface EchoScene {
  played: Int16Array;
  microphone: Int16Array;
  /** The microphone without the echo. */
  person: Int16Array;
  /** The person's sentences, in samples. */
  cutIns: { start: number; end: number }[];
}

/** Mixes a scene; the same for the same random numbers. */
export function createEchoScene(options: EchoSceneOptions): EchoScene {
  const { seconds, random, echoDb = -12, noiseDb = -65 } = options;
  const length = seconds * RATE_HZ;
  const played = sayAll(length, options);
  const echo = echoOf(played, options);
  const person = new Float32Array(length);
  const cutIns = options.person ? cutIn(person, options.person, 10 ** (echoDb / 20) * AVATAR_RMS, random) : [];
  for (let i = 0; i < length; i++) person[i] += 10 ** (noiseDb / 20) * gaussian(random);
  const microphone = person.map((sample, i) => sample + echo[i]);
  if (options.loses) {
    for (let at = 0; at < length; at += BLOCK_SAMPLES)
      if (random.next() < 0.01) microphone.fill(0, at, at + BLOCK_SAMPLES);
  }
  return { played: toInt16(played), microphone: toInt16(microphone), person: toInt16(person), cutIns };
}

function sayAll(length: number, { avatar, random, pauseS = 0.15 }: EchoSceneOptions): Float32Array {
  const played = new Float32Array(length);
  for (let at = RATE_HZ / 2; at < length; ) {
    const sentence = random.pick(avatar);
    mix(sentence, AVATAR_RMS / loudness(sentence), played, at);
    at += sentence.length + Math.round(pauseS * random.next() * RATE_HZ);
  }
  return played;
}

function cutIn(into: Float32Array, person: PersonOptions, echoRms: number, random: SeededRandom) {
  const cutIns: { start: number; end: number }[] = [];
  for (let atS = person.firstS; atS < into.length / RATE_HZ - 4; ) {
    const sentence = random.pick(person.sentences);
    const start = Math.round((atS + random.next()) * RATE_HZ);
    mix(sentence, (echoRms * 10 ** (person.levelDb / 20)) / loudness(sentence), into, start);
    cutIns.push({ start, end: Math.min(into.length, start + sentence.length) });
    atS = (start + sentence.length) / RATE_HZ + person.pauseS;
  }
  return cutIns;
}

function echoOf(played: Float32Array, options: EchoSceneOptions): Float32Array {
  const { random, delayMs = 120, jumps, bursts, isDistorted } = options;
  const sound = isDistorted ? played.map((sample) => Math.tanh(4 * sample) / 4) : played;
  const delaysMs = jumps ? [delayMs, delayMs + 70, Math.max(50, delayMs - 50), delayMs + 250] : [delayMs];
  const paths = delaysMs.map((ms) => pathOf(sound, ms, options));
  const echo = paths[0];
  if (jumps) {
    for (let at = 5 * RATE_HZ, path = 0; at < echo.length; ) {
      path = (path + 1 + random.integer(paths.length - 1)) % paths.length;
      const end = at + Math.round((6 + 6 * random.next()) * RATE_HZ);
      echo.set(paths[path].subarray(at, end), at);
      at = end;
    }
  }
  if (bursts) {
    for (let at = 0; at < echo.length; ) {
      const end = at + Math.round((0.15 + 0.8 * random.next()) * RATE_HZ);
      for (let i = at; i < Math.min(end, echo.length); i++) echo[i] *= 0.03;
      at = end + Math.round((0.05 + 0.15 * random.next()) * RATE_HZ);
    }
  }
  return echo;
}

/** One way from loudspeaker to microphone. */
function pathOf(sound: Float32Array, delayMs: number, options: EchoSceneOptions): Float32Array {
  const { random, echoDb = -12, fadeS = 0.4, driftPpm = 0 } = options;
  const reverberant = convolve(sound, roomResponse(fadeS, random));
  const gain = 10 ** (echoDb / 20);
  const delay = (delayMs * RATE_HZ) / 1000;
  return reverberant.map((_, i) => {
    const place = i - delay - i * driftPpm * 1e-6;
    const first = Math.floor(place);
    if (first < 0 || first + 1 >= reverberant.length) return 0;
    return gain * (reverberant[first] + (place - first) * (reverberant[first + 1] - reverberant[first]));
  });
}

/** Direct sound, a few early reflections, and noise that fades: half as strong as the direct sound. Unit power. */
function roomResponse(fadeS: number, random: SeededRandom): Float32Array {
  const response = new Float32Array(Math.round(0.8 * fadeS * RATE_HZ));
  let power = 0;
  for (let i = 20; i < response.length; i++) {
    response[i] = gaussian(random) * 10 ** ((-3 * i) / (fadeS * RATE_HZ));
    power += response[i] ** 2;
  }
  for (let i = 0; i < response.length; i++) response[i] *= Math.sqrt(0.5 / power);
  response[0] = 1;
  for (let reflection = 0; reflection < 6; reflection++)
    response[20 + random.integer(300)] += 0.6 * (random.next() - 0.5);
  const norm = Math.sqrt(response.reduce((sum, sample) => sum + sample ** 2, 0));
  return response.map((sample) => sample / norm);
}

function convolve(samples: Float32Array, response: Float32Array): Float32Array {
  const transform = new RealTransform(CONVOLUTION_LENGTH);
  const filter = createSpectrum(CONVOLUTION_LENGTH);
  const spectrum = createSpectrum(CONVOLUTION_LENGTH);
  const frame = new Float64Array(CONVOLUTION_LENGTH);
  frame.set(response);
  transform.forward(frame, filter);
  const step = CONVOLUTION_LENGTH - response.length + 1;
  const result = new Float32Array(samples.length);
  for (let at = 0; at < samples.length; at += step) {
    frame.fill(0);
    frame.set(samples.subarray(at, at + step));
    transform.forward(frame, spectrum);
    for (let k = 0; k < spectrum.real.length; k++) {
      const real = spectrum.real[k];
      spectrum.real[k] = real * filter.real[k] - spectrum.imaginary[k] * filter.imaginary[k];
      spectrum.imaginary[k] = real * filter.imaginary[k] + spectrum.imaginary[k] * filter.real[k];
    }
    transform.inverse(spectrum, frame);
    for (let i = 0; i < Math.min(CONVOLUTION_LENGTH, samples.length - at); i++) result[at + i] += frame[i];
  }
  return result;
}

function mix(sound: Float32Array, gain: number, into: Float32Array, at: number): void {
  for (let i = 0; i < Math.min(sound.length, into.length - at); i++) into[at + i] += gain * sound[i];
}

/** RMS of the blocks that hold speech. */
function loudness(sound: Float32Array): number {
  let sum = 0;
  let count = 0;
  for (let at = 0; at + BLOCK_SAMPLES <= sound.length; at += BLOCK_SAMPLES) {
    let power = 0;
    for (let i = at; i < at + BLOCK_SAMPLES; i++) power += sound[i] ** 2 / BLOCK_SAMPLES;
    if (power < SPEECH_POWER) continue;
    sum += power;
    count++;
  }
  return Math.sqrt(sum / Math.max(1, count));
}

function gaussian(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

function toInt16(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(32_768 * sample))));
}
