// Many turns of all kinds, with faults: afterwards the transcript and the webhook's receiver must hold the same list,
// and of the avatar only what was heard.
import { setTimeout as delay } from "node:timers/promises";
import type { ChatFault } from "../../../cli/conversation/chat-server.ts";
import type { KeptMessage } from "../../../cli/conversation/embed-session.ts";
import type { HostedConversation } from "../../../cli/conversation/hosted-conversation.ts";
import { waitUntil } from "../../../cli/service/wait-until.ts";
import type { ConversationStage } from "./conversation-stage.ts";
import { longAnswer, shortAnswer } from "./person-script.ts";
import { firstSilence } from "./silences.ts";
import type { SpokenAnswer } from "./speech-server.ts";
import { type PushedMessage, WebhookReceiver } from "./webhook-receiver.ts";

export interface TurnMetrics {
  turns: number;
  typed: number;
  spoken: number;
  cut_in: number;
  server_faults: number;
  kills: number;
  /** Messages that the service kept. */
  messages: number;
  /** Messages that are missing or repeated in one of the two lists, or in another order, and turns that neither has. */
  differences: number;
  /** What the differences are. */
  different: string[];
  /** Messages of the avatar that have more than one word more or less than were heard, or other words than were
   *  sent. */
  wrong_words: number;
  /** Words kept less words heard, of each answer that was cut. */
  cut_words: number[];
  /** From the kill of the session's process to the next sound or state of the avatar, ms; null without a kill. */
  back_after_kill_ms: number | null;
}

type TurnKind = "typed" | "spoken" | "cut-in" | "kill" | ChatFault;

/** What must be in the transcript. */
interface ExpectedTurn {
  kind: TurnKind;
  /** Undefined for speech: the recogniser decides. */
  typed: string | undefined;
  /** What the model sent, or a beginning of it; undefined if anything may be said instead. */
  answer: string | undefined;
  /** Words that were heard of an answer that was cut; undefined if all were. */
  heardWords: number | undefined;
}

export interface TurnOptions {
  stage: ConversationStage;
  /** Mono at 16 kHz. */
  questions: readonly Int16Array[];
  cuts: readonly Int16Array[];
  turns: number;
}

const FAULTS: readonly ChatFault[] = ["refuses", "breaks", "garbage"];
const STORY = "Tell me a story.";
const PARTS = 20;
const CUT_AFTER_MS = 1_700;
const LEAST_SILENCE_MS = 500;
const ANSWER_TIMEOUT_MS = 30_000;
const PUSH_TIMEOUT_MS = 20_000;
const KILL_AFTER_MS = 1_500;
/** Sound of a killed process may still be on its way, ms. */
const LAST_SOUND_MS = 300;

/** Each kind of turn at its place: a fifth of the turns cut in, three have faults, one kills the process. */
export function turnKinds(turns: number): TurnKind[] {
  return Array.from({ length: turns }, (_, index): TurnKind => {
    if (index === Math.floor(turns * 0.6)) return "kill";
    const fault = FAULTS.findIndex((_fault, place) => index === Math.floor(turns * (0.25 + place * 0.25)));
    if (fault >= 0) return FAULTS[fault];
    if (index % 5 === 3) return "cut-in";
    return index % 5 === 1 ? "spoken" : "typed";
  });
}

/** Holds the conversation and compares the lists. */
export async function measureTurns(options: TurnOptions): Promise<TurnMetrics> {
  const { stage, turns } = options;
  stage.chat.options.answer = (said) => (said === STORY ? longAnswer(PARTS) : shortAnswer(said));
  const conversation = await stage.open();
  const receiver = await WebhookReceiver.start(stage.service, conversation.userId);
  // The greeting came before the receiver.
  const greetings = (await conversation.messages()).length;
  const kinds = turnKinds(turns);
  const expected: ExpectedTurn[] = [];
  let backAfterKillMs: number | null = null;
  try {
    for (const [index, kind] of kinds.entries()) {
      if (kind === "kill") backAfterKillMs = await kill(conversation, options, expected);
      else await takeTurn(kind, index, conversation, options, expected);
    }
    const kept = (await conversation.messages()).slice(greetings);
    const ofSession = () => receiver.pushed.filter(({ sessionId }) => sessionId === conversation.sessionId);
    // A missing delivery is what this is to find out.
    await waitUntil(() => ofSession().length >= kept.length, "all are delivered", PUSH_TIMEOUT_MS).catch(
      () => undefined,
    );
    const count = (wanted: TurnKind) => kinds.filter((kind) => kind === wanted).length;
    const different = [...compareLists(kept, ofSession()), ...compareTurns(kept, expected)];
    return {
      turns,
      typed: count("typed"),
      spoken: count("spoken"),
      cut_in: count("cut-in"),
      kills: count("kill"),
      server_faults: FAULTS.reduce((sum, fault) => sum + count(fault), 0),
      messages: kept.length,
      differences: different.length,
      different,
      ...compareWords(kept, expected),
      back_after_kill_ms: backAfterKillMs,
    };
  } finally {
    await conversation.close();
    await receiver.close();
  }
}

async function takeTurn(
  kind: Exclude<TurnKind, "kill">,
  index: number,
  { person }: HostedConversation,
  { stage, questions, cuts }: TurnOptions,
  expected: ExpectedTurn[],
): Promise<void> {
  const sinceMs = performance.now();
  if (kind === "spoken") {
    const { endMs } = await person.say(questions[index % questions.length]);
    await stage.untilHeard(person, endMs, ANSWER_TIMEOUT_MS);
    expected.push({ kind, typed: undefined, answer: undefined, heardWords: undefined });
  } else if (kind === "cut-in") {
    const servedBefore = stage.speech?.served.length ?? 0;
    await person.type(STORY);
    const fromMs = await stage.untilHeard(person, sinceMs, ANSWER_TIMEOUT_MS);
    await delay(CUT_AFTER_MS + (index % 7) * 130);
    const spoken = stage.speech?.served.slice(servedBefore) ?? [];
    const { startMs, endMs } = await person.say(cuts[index % cuts.length]);
    await delay(LEAST_SILENCE_MS);
    const silence = firstSilence(person.heardSince(startMs), startMs, LEAST_SILENCE_MS);
    const heardWords = silence && wordsHeard(spoken, silence.fromMs - fromMs);
    expected.push({ kind, typed: STORY, answer: longAnswer(PARTS), heardWords });
    await stage.untilHeard(person, endMs, ANSWER_TIMEOUT_MS);
    expected.push({ kind: "spoken", typed: undefined, answer: undefined, heardWords: undefined });
  } else {
    const typed = `Question ${index + 1}: how far away is the moon?`;
    if (kind !== "typed") stage.chat.failWith(kind);
    await person.type(typed);
    await stage.untilHeard(person, sinceMs, ANSWER_TIMEOUT_MS);
    stage.chat.failWith(undefined);
    const answer = kind === "typed" ? shortAnswer(typed) : undefined;
    expected.push({ kind, typed, answer, heardWords: undefined });
  }
  await stage.untilQuiet(person);
}

/** Kills the session's process while it answers. Returns when the avatar is back, ms after the kill. */
async function kill({ person }: HostedConversation, { stage }: TurnOptions, expected: ExpectedTurn[]): Promise<number> {
  const askedAtMs = performance.now();
  await person.type(STORY);
  await stage.untilHeard(person, askedAtMs, ANSWER_TIMEOUT_MS);
  await delay(KILL_AFTER_MS);
  for (const pid of await stage.sessionPids()) process.kill(pid, "SIGKILL");
  const killedAtMs = performance.now();
  // Typed into a room without an avatar it would be lost, as it would be for a person.
  const newState = () => person.states.find(({ atMs, state }) => atMs > killedAtMs && state !== "speaking")?.atMs;
  const newSound = () => person.soundSince(killedAtMs + LAST_SOUND_MS).at(0)?.atMs;
  const isBack = () => newState() !== undefined || newSound() !== undefined;
  await waitUntil(isBack, "the avatar is back", ANSWER_TIMEOUT_MS);
  const backAtMs = Math.min(newState() ?? Infinity, newSound() ?? Infinity);
  await stage.untilQuiet(person);
  const typed = "How far away is the moon after all?";
  await person.type(typed);
  await stage.untilHeard(person, performance.now(), ANSWER_TIMEOUT_MS);
  await stage.untilQuiet(person);
  expected.push({ kind: "kill", typed: STORY, answer: undefined, heardWords: undefined });
  expected.push({ kind: "typed", typed, answer: shortAnswer(typed), heardWords: undefined });
  return Math.round(backAtMs - killedAtMs);
}

/** Words of which half was heard, when the first `heardMs` of these texts were heard one after the other. */
export function wordsHeard(spoken: readonly Pick<SpokenAnswer, "durationMs" | "wordsMs">[], heardMs: number): number {
  let beganMs = 0;
  let words = 0;
  for (const { durationMs, wordsMs } of spoken) {
    words += wordsMs.filter((ms) => beganMs + ms <= heardMs).length;
    beganMs += durationMs;
  }
  return words;
}

/** Where the transcript and the webhook's list differ. */
export function compareLists(
  kept: readonly Pick<KeptMessage, "role" | "message">[],
  pushed: readonly Pick<PushedMessage, "role" | "message">[],
): string[] {
  const differences: string[] = [];
  for (let index = 0; index < Math.max(kept.length, pushed.length); index++) {
    const [one, other] = [kept[index], pushed[index]];
    if (one && other && one.role === other.role && one.message === other.message) continue;
    differences.push(`message ${index + 1}: ${nameOf(one)} kept, ${nameOf(other)} pushed`);
  }
  return differences;
}

/** Turns that the transcript lacks or repeats. Answers to a fault may be one sentence or two. */
export function compareTurns(
  kept: readonly Pick<KeptMessage, "role" | "message">[],
  expected: readonly ExpectedTurn[],
): string[] {
  const differences: string[] = [];
  const users = kept.filter(({ role }) => role === "user");
  if (users.length !== expected.length)
    differences.push(`${users.length} messages of the person, ${expected.length} said`);
  for (const [index, { typed, kind }] of expected.entries()) {
    if (typed !== undefined && users[index]?.message !== typed)
      differences.push(`turn ${index + 1} (${kind}): ${nameOf(users[index])}`);
  }
  const isAnswered = (index: number) => kept[index + 1]?.role === "assistant";
  for (const [index, { role }] of kept.entries()) {
    if (role === "user" && !isAnswered(index)) differences.push(`message ${index + 1} has no answer`);
    if (role === "assistant" && isAnswered(index)) differences.push(`message ${index + 2} is a second answer`);
  }
  return differences;
}

/** Answers beside what was sent and heard. */
export function compareWords(
  kept: readonly Pick<KeptMessage, "role" | "message">[],
  expected: readonly ExpectedTurn[],
): Pick<TurnMetrics, "wrong_words" | "cut_words"> {
  let wrong = 0;
  const cut: number[] = [];
  let turn = -1;
  for (const { role, message } of kept) {
    if (role === "user") turn += 1;
    const { answer, heardWords } = expected[turn] ?? {};
    if (role === "user" || answer === undefined) continue;
    if (heardWords === undefined) {
      if (message.trim() !== answer) wrong += 1;
    } else {
      const difference = (message.match(/\S+/g) ?? []).length - heardWords;
      cut.push(difference);
      if (Math.abs(difference) > 1 || !answer.startsWith(message.trim())) wrong += 1;
    }
  }
  return { wrong_words: wrong, cut_words: cut };
}

function nameOf(message: { role: string; message: string } | undefined): string {
  return message ? `${message.role} “${message.message.slice(0, 40)}”` : "none";
}
