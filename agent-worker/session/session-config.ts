// The settings that a process of avatar sessions gets.
import type { Config } from "../../program/config.ts";

export const SESSION_PARTS = ["disk", "livekit", "log", "outgoing", "rendering", "voice"] as const;

export type SessionConfig = Pick<Config, (typeof SESSION_PARTS)[number]>;
