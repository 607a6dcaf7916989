// The bands in which loudness is compared: a third of an octave to half of one.

/** First bins of the bands, 150 Hz to 6.4 kHz, and the end of the last one. */
const EDGES = [3, 5, 8, 11, 15, 19, 25, 32, 41, 52, 66, 84, 106, 128] as const;

export const BANDS = EDGES.length - 1;

/** Power of a band; `at`: where the spectrum begins. */
export function bandPower(power: ArrayLike<number>, band: number, at = 0): number {
  let sum = 0;
  for (let k = at + EDGES[band]; k < at + EDGES[band + 1]; k++) sum += power[k];
  return sum;
}
