// What the worker's log tells of answered turns.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { TurnTimes } from "../../../src/conversation/turns/conversation-listener.ts";

const lineSchema = z.object({
  msg: z.literal("turn answered"),
  isTyped: z.boolean(),
  textMs: z.number(),
  decidedMs: z.number(),
  firstPieceMs: z.number().optional(),
  firstSoundMs: z.number().optional(),
});

/** Oldest first. `dataDir`: the service's folder. */
export async function readWorkerTurns(dataDir: string): Promise<TurnTimes[]> {
  return parseWorkerTurns(await readFile(join(dataDir, "logs", "worker.log"), "utf8"));
}

/** Lines that are something else are skipped. */
export function parseWorkerTurns(log: string): TurnTimes[] {
  const turns: TurnTimes[] = [];
  for (const line of log.split("\n")) {
    if (!line.includes("turn answered")) continue;
    const { success, data } = lineSchema.safeParse(jsonOf(line));
    if (!success) continue;
    const { isTyped, textMs, decidedMs, firstPieceMs, firstSoundMs } = data;
    turns.push({ isTyped, textMs, decidedMs, firstPieceMs, firstSoundMs });
  }
  return turns;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // Half of a line: it is being written.
  }
}
