// The settings that an api gets: those of workers are not among them, nor are their secrets.
import type { Config } from "../../program/config.ts";

export const API_PARTS = [
  "http",
  "pages",
  "database",
  "disk",
  "bucket",
  "retention",
  "operator",
  "signIn",
  "clock",
  "livekit",
  "languageModel",
  "embeddings",
  "imageModel",
  "realtime",
  "voice",
  "avatars",
  "rendering",
  "outgoing",
  "relay",
  "log",
  "metrics",
  "traces",
] as const;

export type ApiConfig = Pick<Config, (typeof API_PARTS)[number]>;
