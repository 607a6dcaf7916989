// Hosted conversations that their viewers render: while they listen, and while they speak.
import { setTimeout as delay } from "node:timers/promises";
import type { HostedConversation } from "../../../../cli/conversation/hosted-conversation.ts";
import type { ScriptedPerson } from "../../../../cli/conversation/scripted-person.ts";
import { SOUND_LEVEL } from "../../../../cli/conversation/sound-level.ts";
import type { Audience } from "../../clients/audience.ts";
import { MotionFollower } from "../../clients/motion-follower.ts";
import type { ConversationStage } from "../../conversation/conversation-stage.ts";
import { AVATAR_IDENTITY, LISTENER_IDENTITY, mintToken } from "../../service/session-opener.ts";
import { waitUntilAsync } from "../../service/wait-until-async.ts";
import { waitUntilQuiet } from "../measure-starts.ts";
import { kbpsOf } from "./kbps-of.ts";
import { type LocalRow, type LocalRowName, missedLocalGoals } from "./local-metrics.ts";
import { measureWindow } from "./measure-window.ts";

export interface ConversationRowsOptions {
  stage: ConversationStage;
  /** Takes the packets in each room, unless it would decode them. */
  audience: Audience;
  sessions: number;
  /** Length of each measurement, s. */
  seconds: number;
  /** CPU of the idle workers, % of a core. */
  idleCpu: number;
  /** Rows that are wanted: a listening one, a speaking one. */
  names: readonly LocalRowName[];
}

const READY_TIMEOUT_MS = 90_000;
const ANSWER_TIMEOUT_MS = 60_000;
/** An answer is longer than its measurement by this much, s. */
const MARGIN_S = 25;
/** Of the voices, at most. */
const CHARACTERS_PER_S = 18;
const SENTENCES = [
  "The weather was fine, so we walked along the river and talked about music.",
  "My mother made some more marmalade for Bob, and he brought a big blue bag.",
  "Above the hills a small white cloud was moving slowly to the west.",
];

/** Rows of as many conversations at once. */
export async function measureConversations(options: ConversationRowsOptions): Promise<LocalRow[]> {
  const { stage, audience, sessions, seconds, names } = options;
  const opened: { conversation: HostedConversation; motion: MotionFollower }[] = [];
  stage.chat.options.answer = () => longAnswer(seconds + MARGIN_S);
  try {
    await waitUntilQuiet(await stage.processes());
    for (let index = 0; index < sessions; index++) {
      const conversation = await stage.open({ isWatching: false, render: "local" });
      const motion = new MotionFollower(conversation.person.room, AVATAR_IDENTITY);
      opened.push({ conversation, motion });
      await motion.tell("motion");
      if (!audience.isDecoding) await listen(conversation, options);
    }
    const areTold = async () => Object.values(await audience.report()).every(({ renders }) => renders === "motion");
    await waitUntilAsync(areTold, "the avatars answer", READY_TIMEOUT_MS);
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
      await audience.leave(conversation.sessionId);
      await conversation.close();
    }
  }
}

async function listen({ sessionId, roomName }: HostedConversation, { stage, audience }: ConversationRowsOptions) {
  const token = await mintToken(stage.service, roomName, LISTENER_IDENTITY);
  await audience.join({ id: sessionId, url: stage.service.livekit.url, token, needs: "motion" });
}

async function measureRow(
  name: LocalRowName,
  opened: readonly { conversation: HostedConversation; motion: MotionFollower }[],
  { stage, audience, seconds, idleCpu }: ConversationRowsOptions,
): Promise<LocalRow> {
  const speaks = name !== "conversation, listening";
  const persons = opened.map(({ conversation }) => conversation.person);
  if (speaks) {
    const askedMs = performance.now();
    await Promise.all(persons.map((person) => person.type("Tell me a story.")));
    await Promise.all(persons.map((person) => stage.untilHeard(person, askedMs, ANSWER_TIMEOUT_MS)));
  }
  for (const { motion } of opened) motion.begin();
  const window = { livekitUrl: stage.service.livekit.url, processes: await stage.processes([audience.pid]), idleCpu };
  await audience.report();
  const startedMs = performance.now();
  const { cost } = await measureWindow({ ...window, sessions: opened.length }, () => delay(seconds * 1000));
  const kbps = kbpsOf(Object.values(await audience.report()), performance.now() - startedMs);
  const spoken = Math.min(...persons.map((person) => spokenShare(person, startedMs)));
  const motion = opened.map((each) => each.motion.metrics());
  const row = {
    name,
    sessions: opened.length,
    ...cost,
    kbps,
    motion_fps: Math.min(...motion.map(({ fps }) => fps)),
    motion_packets_per_s: Math.round((motion[0].packets * 10) / seconds) / 10,
    ...(speaks && { spoken }),
  };
  return { ...row, missed: missedLocalGoals(row) };
}

/** Share of the time since then in which the avatar was heard. */
function spokenShare(person: ScriptedPerson, sinceMs: number): number {
  const heard = person.heardSince(sinceMs);
  const loud = heard.filter(({ level }) => level > SOUND_LEVEL).length;
  return Math.round((loud * 100) / Math.max(1, heard.length)) / 100;
}

/** Text that takes at least this long to say, s. */
function longAnswer(seconds: number): string {
  let text = "";
  for (let index = 0; text.length < seconds * CHARACTERS_PER_S; index++)
    text += `${SENTENCES[index % SENTENCES.length]} `;
  return text.trim();
}
