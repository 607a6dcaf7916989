// Pitch of the voiced parts of a recording.
import { atRate } from "../../../signal/audio/at-rate.ts";
import { findPeriod, PITCH_SPAN, PITCH_RATE_HZ as RATE_HZ, PITCH_WINDOW as WINDOW } from "./pitch-period.ts";

export interface VoicePitch {
  /** Median over the voiced stretches. */
  medianHz: number;
  /** Share of the listened-to time that is voiced, 0..1. */
  voicedShare: number;
}

const HOP = RATE_HZ / 50;
/** Stretches quieter than this part of the loudest are pauses. */
const QUIET_SHARE = 0.1;
/** Seconds of a recording that are measured; more would not change the median. */
export const LISTENED_SECONDS = 30;
/** Shorter voiced parts are clicks or coughs. */
const LEAST_VOICED_S = 0.3;

/** The pitch of a recording (mono int16), of its first half minute; null if it has no speech. */
export function measureVoicePitch(samples: Int16Array, sampleRateHz: number): VoicePitch | null {
  const audio = atRate(samples.subarray(0, LISTENED_SECONDS * sampleRateHz), sampleRateHz, RATE_HZ);
  const starts: number[] = [];
  for (let start = 0; start + PITCH_SPAN <= audio.length; start += HOP) starts.push(start);
  const powers = starts.map((start) => powerOf(audio, start));
  const loudest = powers.reduce((most, power) => Math.max(most, power), 0);
  const pitches: number[] = [];
  starts.forEach((start, i) => {
    if (loudest === 0 || powers[i] < QUIET_SHARE ** 2 * loudest) return;
    const period = findPeriod(audio, start);
    if (period !== null) pitches.push(RATE_HZ / period);
  });
  if (pitches.length * HOP < LEAST_VOICED_S * RATE_HZ) return null;
  pitches.sort((left, right) => left - right);
  return { medianHz: pitches[pitches.length >> 1], voicedShare: pitches.length / starts.length };
}

function powerOf(audio: Float32Array, start: number): number {
  let sum = 0;
  for (let i = start; i < start + WINDOW; i++) sum += audio[i] * audio[i];
  return sum / WINDOW;
}
