// The settings that an avatar worker gets.
import type { Config } from "../program/config.ts";

export const WORKER_PARTS = [
  "http",
  "livekit",
  "worker",
  "languageModel",
  "voice",
  "rendering",
  "disk",
  "log",
  "metrics",
  "traces",
] as const;

export type WorkerConfig = Pick<Config, (typeof WORKER_PARTS)[number]>;
