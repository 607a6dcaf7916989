// How soon the avatar answers: from the end of speech at the microphone to the first sound at the person.

import type { HeardBlock, SeenFrame } from "../../../cli/conversation/scripted-person.ts";
import { type CoarseLuma, measureLipSync, toCoarseLuma } from "../../../cli/demo/lip-sync.ts";
import type { TurnTimes } from "../../../src/conversation/turns/conversation-listener.ts";
import { summarize } from "../percentile.ts";
import type { ConversationStage } from "./conversation-stage.ts";
import type { SpokenAnswer } from "./speech-server.ts";
import { readWorkerTurns } from "./worker-turns.ts";

export type Spread = ReturnType<typeof summarize>;

export interface AnswerMetrics {
  turns: number;
  /** Turns without an answer. */
  unanswered: number;
  /** From the end of speech to the first sound, ms. */
  answer_ms: Spread | null;
  /** The same less what the servers of language model and voice took; null without a voice server. */
  own_ms: Spread | null;
  /** As the worker saw them, ms from the end of speech: the words, the decision, the first piece of text. */
  text_ms: Spread | null;
  decided_ms: Spread | null;
  first_piece_ms: Spread | null;
  /** A/V offset: positive if the mouth is late. Null if it cannot be told. */
  mouth_skew_ms: number | null;
  /** Correlation of mouth and sound at that offset, 0 to 1. */
  mouth_strength: number | null;
}

interface Turn {
  endOfSpeechMs: number;
  firstSoundMs: number;
  speech: SpokenAnswer | undefined;
  /** As the worker saw it. */
  told: TurnTimes | undefined;
}

/** Says each question in turn until there were `turns`. `questions`: mono at 16 kHz. */
export async function measureAnswers(
  stage: ConversationStage,
  questions: readonly Int16Array[],
  turns: number,
): Promise<AnswerMetrics> {
  const frames: { atMs: number; luma: CoarseLuma }[] = [];
  const onFrame = ({ frame, atMs }: SeenFrame) => frames.push({ atMs, luma: toCoarseLuma(frame) });
  const tellTurns = () => readWorkerTurns(stage.service.dataDir ?? "");
  const { person, close } = await stage.open({ onFrame });
  const heard: Turn[] = [];
  let unanswered = 0;
  try {
    // The first turn loads what the later ones need.
    for (let index = -1; index < turns; index++) {
      const servedBefore = stage.speech?.served.length ?? 0;
      const toldBefore = (await tellTurns()).length;
      const { endMs } = await person.say(questions[(index + 1) % questions.length]);
      const firstSoundMs = await stage.untilHeard(person, endMs).catch(() => undefined);
      await stage.untilQuiet(person);
      if (index < 0) continue;
      const speech = stage.speech?.served.at(servedBefore);
      const told = (await tellTurns()).at(toldBefore);
      if (firstSoundMs === undefined) unanswered += 1;
      else heard.push({ endOfSpeechMs: endMs, firstSoundMs, speech, told });
    }
    return { ...metricsOf(heard), unanswered, ...mouthOf(frames, person.heard) };
  } finally {
    await close();
  }
}

function metricsOf(heard: readonly Turn[]) {
  const told = heard.flatMap((turn) => (turn.told ? [turn.told] : []));
  const own = heard.flatMap(({ endOfSpeechMs, firstSoundMs, speech, told: times }) =>
    speech && times ? [firstSoundMs - endOfSpeechMs - serversShareMs(times, speech)] : [],
  );
  return {
    turns: heard.length,
    answer_ms: spreadOf(heard.map(({ endOfSpeechMs, firstSoundMs }) => firstSoundMs - endOfSpeechMs)),
    own_ms: spreadOf(own),
    text_ms: spreadOf(told.map(({ textMs }) => textMs)),
    decided_ms: spreadOf(told.map(({ decidedMs }) => decidedMs)),
    first_piece_ms: spreadOf(told.flatMap(({ firstPieceMs }) => firstPieceMs ?? [])),
  };
}

/** Null without values. */
export function spreadOf(values: readonly number[]): Spread | null {
  return values.length > 0 ? summarize(values) : null;
}

/** What an answer waited for servers, ms: for the language model from the decision on, because it writes while the end
 *  of the turn is being decided, and for the voice's first audio. The recogniser is ours: it counts in full. */
export function serversShareMs(
  { decidedMs, firstPieceMs = 0 }: Pick<TurnTimes, "decidedMs" | "firstPieceMs">,
  { atMs, firstAudioAtMs }: Pick<SpokenAnswer, "atMs" | "firstAudioAtMs">,
): number {
  return Math.max(0, firstPieceMs - decidedMs) + (firstAudioAtMs - atMs);
}

function mouthOf(frames: readonly { atMs: number; luma: CoarseLuma }[], heard: readonly HeardBlock[]) {
  const [first] = heard;
  if (frames.length < 50 || !first) return { mouth_skew_ms: null, mouth_strength: null };
  // Blocks last 10 ms; audio never pauses, so the median of what each says of the beginning is free of jitter.
  const begins = heard.map(({ atMs }, index) => atMs - index * 10).sort((a, b) => a - b);
  const audioAtMs = begins[Math.floor(begins.length / 2)];
  const { skewMs, strength } = measureLipSync({ frames, loudness: heard.map(({ level }) => level), audioAtMs });
  return { mouth_skew_ms: skewMs, mouth_strength: strength };
}
