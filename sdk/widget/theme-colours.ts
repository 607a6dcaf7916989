// Colours of the widgets' controls, by day and by night: those of the pages (web/shared/tokens.css).
export const COLOURS = {
  ground: ["#f4f2ee", "#15161a"],
  panel: ["#fffdfa", "#1e2025"],
  ink: ["#1d1b18", "#eceae6"],
  quiet: ["#615c54", "#a8a69f"],
  line: ["#dcd7cd", "#33353c"],
  "accent-ink": ["#ffffff", "#06211e"],
} as const;
