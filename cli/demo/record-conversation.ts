// Holds the conversation of the demo and notes what each turn took.
import { setTimeout as delay } from "node:timers/promises";
import type { HostedConversation } from "../conversation/hosted-conversation.ts";
import { waitUntil } from "../service/wait-until.ts";
import type { DemoTurn } from "./demo-script.ts";

/** A turn as it went. */
export interface RecordedTurn {
  shows: string;
  how: DemoTurn["how"] | "greeting";
  /** Where it begins in the film, s. */
  atS: number;
  /** What the person said or typed; empty for the greeting. */
  said: string;
  /** What the service wrote down of it. */
  understood: string;
  /** What was heard of the answer. */
  answer: string;
  /** From the end of speech, or from the typed text, to the first sound of the answer, ms. */
  answeredMs: number | undefined;
  /** From the first sound of a cut-in to silence, ms. */
  silentMs: number | undefined;
}

export interface RecordOptions {
  conversation: HostedConversation;
  turns: readonly DemoTurn[];
  /** Each turn's words, mono at 16 kHz; typed turns are not read. */
  speech: readonly Int16Array[];
  /** When the film began, ms of `performance.now`. */
  beganAtMs: number;
  onTurn(turn: DemoTurn): void;
}

const ANSWER_TIMEOUT_MS = 30_000;
const END_TIMEOUT_MS = 90_000;
/** A pause in a sentence is shorter. */
const QUIET_MS = 1_200;
const BETWEEN_TURNS_MS = 700;
/** How long the avatar has spoken when the person cuts in, ms. */
const CUT_IN_AFTER_MS = 4_500;
/** Silence after a cut, ms. */
const SILENCE_MS = 500;

/** Waits for the greeting, then takes the turns. Throws Error if the avatar does not answer. */
export async function recordConversation(options: RecordOptions): Promise<RecordedTurn[]> {
  const { conversation, turns, speech, beganAtMs, onTurn } = options;
  const { person } = conversation;
  await waitUntil(() => person.lastSoundMs !== undefined, "the greeting is heard", ANSWER_TIMEOUT_MS);
  const since = (atMs: number) => Math.round((atMs - beganAtMs) / 100) / 10;
  const blank = { understood: "", answer: "", answeredMs: undefined, silentMs: undefined };
  const [{ atMs: greetedMs }] = person.soundSince(0);
  const wallMs = (atMs: number) => Date.now() - performance.now() + atMs;
  const beganWallMs = wallMs(beganAtMs);
  const recorded: RecordedTurn[] = [
    { ...blank, shows: "the greeting", how: "greeting", atS: since(greetedMs), said: "" },
  ];
  for (const [index, turn] of turns.entries()) {
    if (turn.how !== "cut-in") await untilQuiet(conversation);
    onTurn(turn);
    const startMs = performance.now();
    let endMs = startMs;
    if (turn.how === "typed") await person.type(turn.text);
    else ({ endMs } = await person.say(speech[index]));
    const silentAtMs = turn.how === "cut-in" ? silenceAfter(conversation, startMs) : undefined;
    await waitUntil(() => (person.lastSoundMs ?? 0) > endMs, `an answer to “${turn.text}”`, ANSWER_TIMEOUT_MS);
    const answeredMs = Math.round(person.soundSince(endMs)[0].atMs - endMs);
    recorded.push({
      shows: turn.shows,
      how: turn.how,
      atS: since(startMs),
      said: turn.text,
      understood: "",
      answer: "",
      answeredMs,
      silentMs: silentAtMs === undefined ? undefined : Math.round(silentAtMs - startMs),
    });
    if (turns[index + 1]?.how === "cut-in") await delay(CUT_IN_AFTER_MS);
  }
  await untilQuiet(conversation);
  return withMessages(recorded, await conversation.messages(), beganWallMs);
}

async function untilQuiet({ person }: HostedConversation): Promise<void> {
  const isQuiet = () => person.state === "listening" && performance.now() - (person.lastSoundMs ?? 0) > QUIET_MS;
  await waitUntil(isQuiet, "the avatar is silent", END_TIMEOUT_MS);
  await delay(BETWEEN_TURNS_MS);
}

/** When the avatar fell silent after the person had begun, ms; undefined if it did not speak just then. */
function silenceAfter({ person }: HostedConversation, startMs: number): number | undefined {
  let lastMs: number | undefined;
  for (const { atMs } of person.soundSince(startMs)) {
    if (atMs - (lastMs ?? startMs) > SILENCE_MS) break;
    lastMs = atMs;
  }
  return lastMs;
}

/** The turns with the texts of the transcript. A message belongs to the last turn that had begun when it was said: a
 *  person who pauses may be taken to have said two. `beganWallMs`: when the film began, Unix time. */
export function withMessages(
  turns: readonly RecordedTurn[],
  messages: readonly { role: string; message: string; timestamp: string }[],
  beganWallMs: number,
): RecordedTurn[] {
  const filled = turns.map((turn) => ({ ...turn }));
  for (const { role, message, timestamp } of messages) {
    const atS = (Date.parse(timestamp) - beganWallMs) / 1000;
    const turn = filled.findLast((each) => each.atS <= atS) ?? filled[0];
    const part = role === "user" ? "understood" : "answer";
    turn[part] = turn[part] === "" ? message : `${turn[part]} / ${message}`;
  }
  return filled;
}
