// Accent colours that a site chooses for its widget (`themeColor`) and for the page in it: by day, by night. Text on
// them, white by day and near-black by night, has a contrast of at least 4.5:1.

export const ACCENTS = Object.freeze({
  blue: ["#2456b8", "#8ab4ff"],
  purple: ["#6b3fc4", "#c0a2ff"],
  green: ["#1f6f3f", "#7fd39b"],
  red: ["#a3261d", "#ff9b8f"],
  orange: ["#9a4600", "#f5b06a"],
  teal: ["#1f6f6b", "#56b8ae"],
  pink: ["#ad2468", "#ff9ccb"],
  indigo: ["#3f46b8", "#a9b0ff"],
} as const);

export type Accent = keyof typeof ACCENTS;
export const ACCENT_NAMES = Object.keys(ACCENTS) as Accent[];

/** The colour as a CSS value that follows `color-scheme`. */
export function accentValue(accent: Accent): string {
  return `light-dark(${ACCENTS[accent].join(", ")})`;
}
