// Floods of a realtime call: items that are kept, answers that cost a language model, and events that are large.
import { setTimeout as delay } from "node:timers/promises";
import type { Flood } from "../flood.ts";
import { callUntilOver } from "./realtime-call.ts";

const PART_CHARACTERS = 100_000;
const PARTS = 64;
/** A burst of answers, each cancelled at once. */
const PAIRS = 500;
const BURST_MS = 100;
/** The largest event that a caller may send. */
const LARGE_EVENT_CHARACTERS = 16 * 1024 * 1024 - 1_000;

/** Items of 6.4 MB, and smaller ones that pass more easily. */
export const floodItems: Flood = (context) =>
  callUntilOver(context, async (call, { random }) => {
    const parts = [PARTS, PARTS, 8, 1].map((count) => itemEvent(count));
    while (call.isOpen) await call.send("items", random.pick(parts));
  });

/** 500 answers are requested and cancelled in a tenth of a second, again and again. */
export const floodAnswers: Flood = (context) =>
  callUntilOver(context, async (call) => {
    await call.send("items", itemEvent(1, 200));
    while (call.isOpen) {
      for (let pair = 0; pair < PAIRS; pair++) {
        await call.send("answers", '{"type":"response.create"}');
        await call.send("cancels", '{"type":"response.cancel"}');
      }
      await delay(BURST_MS);
    }
  });

/** Events of 16 MiB that must be scanned for the name of a model: escapes, wide signs, nested objects. */
export const floodEvents: Flood = (context) =>
  callUntilOver(context, async (call, { random }) => {
    const texts = ["\\u0061", "\\n", "é", '{\\"model\\":\\"a\\"}'].map((unit) =>
      largeEvent(unit.repeat(LARGE_EVENT_CHARACTERS / unit.length / (unit === "é" ? 2 : 1))),
    );
    while (call.isOpen) await call.send("events", random.pick(texts));
  });

function largeEvent(instructions: string): string {
  return `{"type":"session.update","session":{"type":"realtime","instructions":"${instructions}"}}`;
}

function itemEvent(parts: number, characters = PART_CHARACTERS): string {
  const content = Array.from({ length: parts }, () => ({ type: "input_text", text: "word ".repeat(characters / 5) }));
  return JSON.stringify({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
}
