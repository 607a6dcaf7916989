// Whether the avatar answers its own audio when a loudspeaker sends it back into the microphone, and whether a person
// can still cut in.
import { waitUntil } from "../../../cli/service/wait-until.ts";
import type { ConversationStage } from "./conversation-stage.ts";
import { type CuttingInMetrics, measureCuttingIn } from "./measure-cutting-in.ts";
import { longStory } from "./person-script.ts";
import { RoomEcho } from "./room-echo.ts";

export interface EchoMetrics {
  /** The avatar spoke for this long, minutes. */
  minutes: number;
  /** Turns that were taken although the person was silent. */
  answered_itself: number;
  /** What its own audio was taken for. */
  taken_for: string[];
  /** With the same echo. */
  cutting_in: CuttingInMetrics;
}

export interface EchoOptions {
  stage: ConversationStage;
  /** Of the avatar's speech. */
  minutes: number;
  /** Mono at 16 kHz. */
  cuts: readonly Int16Array[];
  count: number;
}

const ECHO = Object.freeze({ levelDb: -12, delayMs: 120 });
const REQUEST = "Tell me all chapters.";
const CHAPTERS = 12;
const STEP_TIMEOUT_MS = 120_000;

export async function measureEcho({ stage, minutes, cuts, count }: EchoOptions): Promise<EchoMetrics> {
  stage.chat.options.answer = () => longStory(CHAPTERS);
  const { person, close, messages } = await stage.open({ throughRoom: new RoomEcho(ECHO).mix });
  let takenFor: string[] = [];
  const startedMs = performance.now();
  try {
    const untilMs = startedMs + minutes * 60_000;
    while (performance.now() < untilMs) {
      const sinceMs = performance.now();
      await person.type(REQUEST);
      await stage.untilHeard(person, sinceMs);
      const isOver = () => performance.now() > untilMs || performance.now() - (person.lastSoundMs ?? 0) > 2_000;
      await waitUntil(isOver, "the chapters are told", STEP_TIMEOUT_MS);
    }
    const turns = (await messages()).filter(({ role, message }) => role === "user" && message !== REQUEST);
    takenFor = turns.map(({ message }) => message);
  } finally {
    await close();
  }
  return {
    minutes,
    answered_itself: takenFor.length,
    taken_for: takenFor,
    cutting_in: await measureCuttingIn(stage, cuts, count, { throughRoom: new RoomEcho(ECHO).mix }),
  };
}
