// The turns of a call, from its events: how long the person spoke, how long the answer took, how long it was heard.
import type { RealtimeEvent } from "./realtime-call.ts";

export interface CallTurn {
  /** `hearing`: the person speaks. `thinking`: from then until something of the answer is heard. */
  phase: "hearing" | "thinking" | "speaking" | "over";
  /** When this phase began, ms since the call began. */
  sinceMs: number;
  /** Durations of the phases that are over, ms. Absent where a turn has no such phase: a typed message is not heard. */
  heardMs?: number;
  thoughtMs?: number;
  spokeMs?: number;
  /** The answer was cut off. */
  isInterrupted?: boolean;
}

/** Older turns leave the page. */
const MOST_TURNS = 50;

/** The turns after an event; the same array if nothing changed. */
export function withTurnEvent(
  turns: readonly CallTurn[],
  direction: "in" | "out",
  event: RealtimeEvent,
  atMs: number,
): readonly CallTurn[] {
  const last = turns.at(-1);
  const begun = (phase: CallTurn["phase"]): readonly CallTurn[] =>
    [...turns.slice(0, -1), ...(last ? [ended(last, atMs)] : []), { phase, sinceMs: atMs }].slice(-MOST_TURNS);
  const changed = (turn: CallTurn): readonly CallTurn[] => [...turns.slice(0, -1), turn];
  if (direction === "out") return event.type === "response.create" && !isWaiting(last) ? begun("thinking") : turns;
  switch (event.type) {
    case "input_audio_buffer.speech_started":
      return last?.phase === "hearing" ? turns : begun("hearing");
    case "input_audio_buffer.speech_stopped":
      if (last?.phase !== "hearing") return turns;
      return changed({ ...last, phase: "thinking", sinceMs: atMs, heardMs: atMs - last.sinceMs });
    case "response.created":
      // An answer to nothing that was said or typed: a greeting.
      return last === undefined || last.phase === "over" ? begun("thinking") : turns;
    case "output_audio_buffer.started":
    case "response.output_text.delta":
      if (last?.phase !== "thinking") return turns;
      return changed({ ...last, phase: "speaking", sinceMs: atMs, thoughtMs: atMs - last.sinceMs });
    case "output_audio_buffer.stopped":
      return last?.phase === "speaking" ? changed(ended(last, atMs)) : turns;
    case "output_audio_buffer.cleared":
      return last?.phase === "speaking" ? changed({ ...ended(last, atMs), isInterrupted: true }) : turns;
    case "response.done":
      return isWithoutSound(event) && last && last.phase !== "over" && last.phase !== "hearing"
        ? changed(ended(last, atMs))
        : turns;
    default:
      return turns;
  }
}

/** Whether a turn waits for an answer. */
function isWaiting(turn: CallTurn | undefined): boolean {
  return turn?.phase === "hearing" || turn?.phase === "thinking";
}

/** The turn when something else begins. What spoke until then was interrupted. */
function ended(turn: CallTurn, atMs: number): CallTurn {
  const { phase, sinceMs } = turn;
  if (phase === "over") return turn;
  const over = { ...turn, phase: "over", sinceMs: atMs } as const;
  if (phase === "hearing") return { ...over, heardMs: atMs - sinceMs };
  if (phase === "thinking") return { ...over, thoughtMs: atMs - sinceMs };
  return { ...over, spokeMs: atMs - sinceMs };
}

/** Whether a response ended without anything that is played. The end of what is played has an event of its own. */
function isWithoutSound({ response }: RealtimeEvent): boolean {
  const { status, output } = (response ?? {}) as { status?: unknown; output?: unknown };
  const items = Array.isArray(output) ? (output as { content?: unknown }[]) : [];
  const parts = items.flatMap(({ content }) => (Array.isArray(content) ? (content as { type?: unknown }[]) : []));
  return status !== "completed" || !parts.some(({ type }) => type === "output_audio" || type === "audio");
}
