// The fifteen visemes (mouth classes) that the lip-sync network distinguishes.

/** In the order of the network's `viseme` output. Source: the Oculus (OVR) viseme set, which most avatar tools share.
 *  */
export const VISEMES = ["sil", "PP", "FF", "TH", "DD", "kk", "CH", "SS", "nn", "RR", "aa", "E", "I", "O", "U"] as const;

export type Viseme = (typeof VISEMES)[number];

export const VISEME_COUNT = VISEMES.length;

/** Index of each viseme in a vector of posteriors. */
export const VISEME_INDEX = Object.freeze(
  Object.fromEntries(VISEMES.map((viseme, index) => [viseme, index])) as Record<Viseme, number>,
);
