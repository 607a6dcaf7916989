// How long the parts of an answer took, from the moments at which they were there.
import type { TurnTimes } from "./conversation-listener.ts";
import type { SpeechTimes } from "./person-speech.ts";

/** All moments are ms of `performance.now`. */
export interface TurnMoments extends SpeechTimes {
  isTyped: boolean;
  /** Undefined if the answer has no text. */
  firstPieceAtMs: number | undefined;
  /** Undefined if nothing was heard. */
  firstSoundAtMs: number | undefined;
}

export function turnTimes(moments: TurnMoments): TurnTimes {
  const { isTyped, endOfSpeechMs, textMs, decidedMs, firstPieceAtMs, firstSoundAtMs } = moments;
  const since = (atMs: number) => Math.max(0, Math.round(atMs - endOfSpeechMs));
  return {
    isTyped,
    textMs: since(textMs),
    decidedMs: since(decidedMs),
    firstPieceMs: firstPieceAtMs === undefined ? undefined : since(firstPieceAtMs),
    firstSoundMs: firstSoundAtMs === undefined ? undefined : since(firstSoundAtMs),
  };
}
