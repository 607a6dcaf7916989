// Lists of providers with host names that no name server answers for.
import { setTimeout as delay } from "node:timers/promises";
import { type Flood, request } from "../flood.ts";

/** At the same time. */
const LANES = 8;
/** The most that a list may have. */
const NAMES = 50;
const PAUSE_MS = 250;

export const floodNames: Flood = async (context) => {
  const { over, sent, target } = context;
  let number = 0;
  const lane = async () => {
    while (!over.aborted) {
      const entries = Array.from({ length: NAMES }, () => {
        number += 1;
        return {
          platform: "openai",
          credentials: { baseUrl: `https://n${number}.silent.example/v1`, apiKey: "sk-flood" },
        };
      });
      sent("names", 0, NAMES);
      await request(context, "PUT", `/v2/${target.userId}/providers`, { entries });
      await delay(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
};
