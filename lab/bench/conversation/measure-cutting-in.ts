// How soon the avatar is silent when the person cuts in, and whether it goes on after sounds that are no words.
import { setTimeout as delay } from "node:timers/promises";
import type { HostedConversation } from "../../../cli/conversation/hosted-conversation.ts";
import type { ScriptedPerson } from "../../../cli/conversation/scripted-person.ts";
import type { ConversationStage } from "./conversation-stage.ts";
import { type Spread, spreadOf } from "./measure-answers.ts";
import type { NonWord, NonWordKind } from "./non-words.ts";
import { longAnswer } from "./person-script.ts";
import { firstSilence } from "./silences.ts";

export interface CuttingInMetrics {
  cuts: number;
  /** Cuts at a time when the avatar was silent already; they are not judged. */
  too_late: number;
  /** Cuts after which the avatar went on. */
  missed: number;
  /** From the person's first sound to silence, ms; null if every cut was missed. */
  silence_ms: Spread | null;
}

export interface NonWordMetrics {
  sounds: number;
  /** Share after which the avatar was heard within 1 s of their end, %. */
  resumed_percent: number;
  /** Sounds that made it pause at all, by kind. */
  held: Record<NonWordKind, number>;
  /** Those after which it did not go on in time, by kind. */
  stopped: Record<NonWordKind, number>;
  /** What sounds were taken for when they ended an answer. */
  taken_for: string[];
  /** From the end of the sound to the avatar's next sound, where it had paused, ms; null if it never did. */
  resumed_after_ms: Spread | null;
  /** Answers that were told to the end, and those of them with words that their message lacks. */
  complete_answers: number;
  answers_with_lost_words: number;
}

/** Longer than the closures and pauses of running speech, ms. */
const LEAST_SILENCE_MS = 500;
/** A pause that a sound has made, ms. */
const LEAST_PAUSE_MS = 250;
/** How long the avatar has spoken when the person cuts in, ms. */
const SPOKEN_MS = 1_500;
const RESUMED_MS = 1_000;
/** An avatar that was heard this long ago still speaks, ms: words have silences. */
const JUST_BEFORE_MS = 200;
/** Each part of a long answer lasts at least two seconds. */
const PARTS = 34;
/** The last story is waited for. */
const SHORT_PARTS = 14;
/** Until the effect of a sound is over, ms. */
const AFTER_SOUND_MS = 1_500;
/** An answer that is silent for this long was stopped, ms. */
const STOPPED_MS = 2_500;

const REQUEST = "Tell me a story.";

/** Cuts in while the avatar tells a long story. `cuts`: what is said, mono at 16 kHz, in turn. */
export async function measureCuttingIn(
  stage: ConversationStage,
  cuts: readonly Int16Array[],
  count: number,
  options: Parameters<ConversationStage["open"]>[0] = {},
): Promise<CuttingInMetrics> {
  stage.chat.options.answer = () => longAnswer(PARTS);
  const { person, close } = await stage.open(options);
  const silences: number[] = [];
  let missed = 0;
  let tooLate = 0;
  try {
    let askedAtMs = performance.now();
    await person.type(REQUEST);
    for (let index = 0; index < count; index++) {
      const fromMs = await stage.untilHeard(person, askedAtMs);
      // Not always at the same place of a word.
      await delay(SPOKEN_MS + (index % 7) * 90 - (performance.now() - fromMs));
      const { startMs, endMs } = await person.say(cuts[index % cuts.length]);
      await delay(LEAST_SILENCE_MS);
      const silence = firstSilence(person.heardSince(startMs), startMs, LEAST_SILENCE_MS);
      const wasHeard = person.soundSince(startMs - JUST_BEFORE_MS).some(({ atMs }) => atMs <= startMs);
      if (!wasHeard) tooLate += 1;
      else if (silence && silence.fromMs < endMs) silences.push(silence.fromMs - startMs);
      else missed += 1;
      // What was said is answered with the next story; after a missed cut the old one goes on.
      askedAtMs = silence ? endMs : performance.now();
    }
    return { cuts: count, too_late: tooLate, missed, silence_ms: spreadOf(silences) };
  } finally {
    await close();
  }
}

/** Plays the sounds while the avatar tells long stories. */
export async function measureNonWords(stage: ConversationStage, sounds: readonly NonWord[]): Promise<NonWordMetrics> {
  const story = longAnswer(SHORT_PARTS);
  stage.chat.options.answer = () => story;
  const conversation = await stage.open();
  const { person } = conversation;
  const held = { cough: 0, hum: 0, knock: 0 };
  const stopped = { cough: 0, hum: 0, knock: 0 };
  const after: number[] = [];
  const turns = () => stage.chat.served.filter(({ said }) => said !== REQUEST);
  const turnsBefore = turns().length;
  try {
    for (const { kind, samples } of sounds) {
      await untilStory(stage, person);
      const known = turns().length;
      const { startMs, endMs } = await person.say(samples);
      await delay(AFTER_SOUND_MS);
      const silence = firstSilence(person.heardSince(startMs), startMs, LEAST_PAUSE_MS);
      const isTurn = turns().length > known;
      if (!isTurn && (!silence || silence.fromMs > endMs + AFTER_SOUND_MS - RESUMED_MS)) continue;
      held[kind] += 1;
      if (isTurn || !silence || silence.toMs - endMs > RESUMED_MS) stopped[kind] += 1;
      if (!isTurn && silence && Number.isFinite(silence.toMs)) after.push(Math.max(0, silence.toMs - endMs));
    }
    await stage.untilQuiet(person, STOPPED_MS);
    const count = stopped.cough + stopped.hum + stopped.knock;
    return {
      sounds: sounds.length,
      resumed_percent: Math.round((1 - count / sounds.length) * 1000) / 10,
      held,
      stopped,
      taken_for: turns()
        .slice(turnsBefore)
        .map(({ said }) => said),
      resumed_after_ms: spreadOf(after),
      ...(await lostWords(conversation, story)),
    };
  } finally {
    await conversation.close();
  }
}

/** Waits until the avatar tells, and asks for a new story when one is over. */
async function untilStory(stage: ConversationStage, person: ScriptedPerson): Promise<void> {
  if (performance.now() - (person.lastSoundMs ?? 0) > AFTER_SOUND_MS) {
    await stage.untilQuiet(person);
    const sinceMs = performance.now();
    await person.type(REQUEST);
    await stage.untilHeard(person, sinceMs);
  }
  await delay(AFTER_SOUND_MS / 3);
}

/** An answer that was cut because a sound was taken for words is counted with its sound, not here. */
async function lostWords({ messages }: HostedConversation, story: string) {
  const list = await messages();
  const said = list.filter(({ role, message }) => role === "assistant" && story.startsWith(message.slice(0, 20)));
  const isCut = (message: string) => story.startsWith(message.trim()) && message.trim() !== story;
  const complete = said.filter(({ message }) => !isCut(message));
  return {
    complete_answers: complete.length,
    answers_with_lost_words: complete.filter(({ message }) => message.trim() !== story).length,
  };
}
