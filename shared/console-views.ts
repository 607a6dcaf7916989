// The views of the console, by the names that their addresses have: `/console/<name>`, and below.

/** In the order of the menu. */
export const CONSOLE_VIEWS = [
  "create",
  "agents",
  "talk",
  "sessions",
  "films",
  "voices",
  "gestures",
  "player",
  "share",
  "knowledge",
  "usage",
  "secrets",
  "webhooks",
  "organizations",
  "operator",
  "account",
] as const;

export type ConsoleViewName = (typeof CONSOLE_VIEWS)[number];
