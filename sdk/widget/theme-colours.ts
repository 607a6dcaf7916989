// Colours of the widgets' controls: those of the pages (web/shared/tokens.css), and an accent for each `themeColor`.
// Text on an accent has a contrast of at least 4.5:1, by day and by night.

export const LIGHT = {
  ground: "#f4f2ee",
  panel: "#fffdfa",
  ink: "#1d1b18",
  quiet: "#615c54",
  line: "#dcd7cd",
  "accent-ink": "#ffffff",
} as const;

export const DARK = {
  ground: "#15161a",
  panel: "#1e2025",
  ink: "#eceae6",
  quiet: "#a8a69f",
  line: "#33353c",
  "accent-ink": "#06211e",
} as const;

/** Accents by day and by night. */
export const ACCENTS = {
  blue: ["#2456b8", "#8ab4ff"],
  purple: ["#6b3fc4", "#c0a2ff"],
  green: ["#1f6f3f", "#7fd39b"],
  red: ["#a3261d", "#ff9b8f"],
  orange: ["#9a4600", "#f5b06a"],
  teal: ["#1f6f6b", "#56b8ae"],
  pink: ["#ad2468", "#ff9ccb"],
  indigo: ["#3f46b8", "#a9b0ff"],
} as const;
