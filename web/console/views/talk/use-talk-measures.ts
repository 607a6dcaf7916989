// What the embed page in a frame tells of its conversation.
import { type RefObject, useEffect, useState } from "react";
import { readTalkMeasure, type TalkMeasure } from "../../../shared/talk-measures.ts";

type MeasureOf<Kind extends TalkMeasure["measured"]> = Extract<TalkMeasure, { measured: Kind }>;
export type TalkEnd = MeasureOf<"ended">;

export interface TalkState {
  /** Undefined until the face is shown. */
  start: MeasureOf<"start"> | undefined;
  /** Oldest first. */
  turns: readonly MeasureOf<"turn">[];
  /** Undefined until audio was heard. */
  delayMs: number | undefined;
  /** Undefined while it goes on, and again once it has begun anew. */
  ended: TalkEnd | undefined;
}

const NOTHING: TalkState = { start: undefined, turns: [], delayMs: undefined, ended: undefined };
const MOST_TURNS = 100;

export function useTalkMeasures(frame: RefObject<HTMLIFrameElement | null>): TalkState {
  const [state, setState] = useState(NOTHING);
  useEffect(() => {
    const hear = (event: MessageEvent) => {
      const measure = readTalkMeasure(event, frame.current?.contentWindow ?? null);
      if (measure) setState((before) => withMeasure(before, measure));
    };
    window.addEventListener("message", hear);
    return () => window.removeEventListener("message", hear);
  }, [frame]);
  return state;
}

/** The state after a measure. */
export function withMeasure(state: TalkState, measure: TalkMeasure): TalkState {
  switch (measure.measured) {
    case "start":
      return { ...state, start: measure, ended: undefined };
    case "turn":
      return { ...state, turns: [...state.turns, measure].slice(-MOST_TURNS) };
    case "playback":
      return { ...state, delayMs: measure.delayMs };
    case "ended":
      return { ...state, ended: measure };
  }
}
