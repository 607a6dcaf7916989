// Hosted conversations that their viewers render: while they listen, and while they speak.
import { setTimeout as delay } from "node:timers/promises";
import type { HostedConversation } from "../../../../cli/conversation/hosted-conversation.ts";
import { MotionFollower } from "../../clients/motion-follower.ts";
import type { ConversationStage } from "../../conversation/conversation-stage.ts";
import { AVATAR_IDENTITY } from "../../service/session-opener.ts";
import { waitUntilQuiet } from "../measure-starts.ts";
import { type LocalRow, type LocalRowName, missedLocalGoals } from "./local-metrics.ts";
import { measureWindow } from "./measure-window.ts";

export interface ConversationRowsOptions {
  stage: ConversationStage;
  sessions: number;
  /** Length of each measurement, s. */
  seconds: number;
  /** CPU of the idle workers, % of a core. */
  idleCpu: number;
  /** Rows that are wanted: a listening one, a speaking one. */
  names: readonly LocalRowName[];
}

const ANSWER_TIMEOUT_MS = 60_000;
/** An answer is longer than its measurement by this much, s. */
const MARGIN_S = 25;
/** Of the voices, at most. */
const CHARACTERS_PER_S = 18;
/** Between two sentences an avatar is silent, but not for longer, ms. */
const LONGEST_PAUSE_MS = 1_500;
const SENTENCES = [
  "The weather was fine, so we walked along the river and talked about music.",
  "My mother made some more marmalade for Bob, and he brought a big blue bag.",
  "Above the hills a small white cloud was moving slowly to the west.",
];

/** Rows of as many conversations at once. */
export async function measureConversations(options: ConversationRowsOptions): Promise<LocalRow[]> {
  const { stage, sessions, seconds, names } = options;
  const opened: { conversation: HostedConversation; motion: MotionFollower }[] = [];
  stage.chat.options.answer = () => longAnswer(seconds + MARGIN_S);
  try {
    await waitUntilQuiet(await stage.processes());
    for (let index = 0; index < sessions; index++) {
      const conversation = await stage.open({ isWatching: false, render: "local" });
      const motion = new MotionFollower(conversation.person.room, AVATAR_IDENTITY);
      opened.push({ conversation, motion });
      await motion.tell("motion");
    }
    await stage.settle();
    const rows: LocalRow[] = [];
    for (const name of names) rows.push(await measureRow(name, opened, options));
    return rows;
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return names.map((name) => ({ name, sessions, failed, missed: missedLocalGoals({ name, sessions, failed }) }));
  } finally {
    for (const { conversation, motion } of opened) {
      motion.close();
      await conversation.close();
    }
  }
}

async function measureRow(
  name: LocalRowName,
  opened: readonly { conversation: HostedConversation; motion: MotionFollower }[],
  { stage, seconds, idleCpu }: ConversationRowsOptions,
): Promise<LocalRow> {
  const speaks = name !== "conversation, listening";
  const persons = opened.map(({ conversation }) => conversation.person);
  if (speaks) {
    const askedMs = performance.now();
    await Promise.all(persons.map((person) => person.type("Tell me a story.")));
    await Promise.all(persons.map((person) => stage.untilHeard(person, askedMs, ANSWER_TIMEOUT_MS)));
  }
  for (const { motion } of opened) motion.begin();
  const window = { livekitUrl: stage.service.livekit.url, processes: await stage.processes(), idleCpu };
  const { cost } = await measureWindow({ ...window, sessions: opened.length }, () => delay(seconds * 1000));
  if (speaks && persons.some(({ lastSoundMs }) => performance.now() - (lastSoundMs ?? 0) > LONGEST_PAUSE_MS))
    throw new Error("an answer was over before its measurement");
  const motion = opened.map((each) => each.motion.metrics());
  const row = {
    name,
    sessions: opened.length,
    ...cost,
    motion_fps: Math.min(...motion.map(({ fps }) => fps)),
    motion_packets_per_s: Math.round((motion[0].packets * 10) / seconds) / 10,
  };
  return { ...row, missed: missedLocalGoals(row) };
}

/** Text that takes at least this long to say, s. */
function longAnswer(seconds: number): string {
  let text = "";
  for (let index = 0; text.length < seconds * CHARACTERS_PER_S; index++)
    text += `${SENTENCES[index % SENTENCES.length]} `;
  return text.trim();
}
