// The settings that a relay gets. It speaks with strangers, so no key of a model, a bucket or a database is among them.
import type { Config } from "../program/config.ts";

export const RELAY_PARTS = ["http", "livekit", "relay", "log", "metrics"] as const;

export type RelayConfig = Pick<Config, (typeof RELAY_PARTS)[number]>;
