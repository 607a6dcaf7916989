// How well the pieces of a sentence join.
import type { PieceAudio } from "../../../src/speech/voice/neural/neural-messages.ts";

/** A step from sample to sample at a seam is compared with the steps around it. */
const AROUND_MS = 50;
/** Quieter sound (RMS, int16) is a pause; its level means nothing. */
const LEAST_LEVEL = 60;

export interface Seam {
  /** Level of what is heard behind the seam over that of what the piece before had there, dB. */
  jumpDb: number;
  /** The same before the pieces were matched. */
  unmatchedDb: number;
  /** The step at the seam, in parts of the largest one around it. */
  stepShare: number;
}

/** What becomes of a piece: as it was made (a copy), and as it is heard. */
export interface HeardPiece {
  made: PieceAudio;
  heard: Int16Array;
}

/** The seams of one sentence, where there is sound on both sides. */
export function seamsOf(pieces: readonly HeardPiece[]): Seam[] {
  const seams: Seam[] = [];
  for (const [index, { made, heard }] of pieces.entries()) {
    const before = pieces[index - 1];
    if (!before) continue;
    const length = before.made.overlap.length;
    const [expected, unmatched, actual] = [before.made.overlap, made.samples, heard].map((part) =>
      levelOf(part.subarray(0, length)),
    );
    if (Math.min(expected, unmatched) < LEAST_LEVEL) continue;
    seams.push({
      jumpDb: decibels(actual / expected),
      unmatchedDb: decibels(unmatched / expected),
      stepShare: stepShare(before.heard, heard, (AROUND_MS * made.sampleRateHz) / 1000),
    });
  }
  return seams;
}

function decibels(ratio: number): number {
  return 20 * Math.log10(ratio);
}

function levelOf(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
}

function stepShare(before: Int16Array, after: Int16Array, around: number): number {
  const steps = [...stepsOf(before.subarray(-around)), ...stepsOf(after.subarray(0, around))];
  return Math.abs(after[0] - before[before.length - 1]) / Math.max(1, ...steps);
}

function stepsOf(samples: Int16Array): Int16Array {
  return samples.subarray(1).map((sample, index) => Math.abs(sample - samples[index]));
}
