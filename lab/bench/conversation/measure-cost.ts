// What conversations cost beside avatar sessions that only speak: CPU, memory, and what four at once do to the video.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { HostedConversation } from "../../../cli/conversation/hosted-conversation.ts";
import { openAvatarRoom } from "../../../cli/demo/avatar-room.ts";
import { startAudience } from "../clients/audience.ts";
import { cpuBetween, readProcesses } from "../cpu-time.ts";
import { partsOf } from "../service/find-service-processes.ts";
import { readPssMb } from "../service/memory.ts";
import { AVATAR_IDENTITY, mintToken } from "../service/session-opener.ts";
import { waitUntilAlone } from "../service/wait-until-alone.ts";
import type { ConversationStage } from "./conversation-stage.ts";

export interface CostMetrics {
  /** Api and worker before the first conversation, MB. */
  idle_mb: number;
  /** CPU of a conversation's process beyond the one of an avatar session beside it, % of a core: the person is silent,
   *  with an open microphone. */
  listening_core_percent: number;
  /** The same while the person talks without end. */
  talking_core_percent: number;
  /** Memory beyond it, MB. */
  conversation_mb: number;
  four: {
    /** Share of frames that came more than 80 ms after the one before, of the worst room, %. */
    late_frames_percent: number;
    fps: number;
    turns: number;
    /** Everything: api, worker, sessions, speech recognition, voice, LiveKit server, PostgreSQL, MB. */
    together_mb: number;
  };
  growth: {
    minutes: number;
    turns: number;
    /** Of the worker and all its processes, MB. */
    grown_mb: number;
  };
}

export interface CostOptions {
  stage: ConversationStage;
  /** Mono at 16 kHz. */
  questions: readonly Int16Array[];
  /** Length of each measurement of CPU, s. */
  seconds: number;
  /** Length of the conversation that must not grow memory. */
  minutes: number;
  /** Like `process.env`: of the audience's compiler. */
  environment: Readonly<Record<string, string | undefined>>;
  report(line: string): void;
}

const AT_ONCE = 4;
const LOOP_PAUSE_MS = 300;
const ANSWER_TIMEOUT_MS = 30_000;
const ALONE_TIMEOUT_MS = 20_000;

export async function measureCost(options: CostOptions): Promise<CostMetrics> {
  const { stage } = options;
  const { workers, api } = await stage.processes();
  await waitUntilAlone(api, ALONE_TIMEOUT_MS);
  const idleMb = await servingMb(stage);
  const beside = await measureBesideSession(options);
  const four = await measureFour(options);
  const growth = await measureGrowth(options, workers);
  return { idle_mb: idleMb, ...beside, four, growth };
}

async function measureBesideSession({ stage, questions, seconds }: CostOptions) {
  const { service } = stage;
  const room = await openAvatarRoom({
    service,
    agentCode: service.agentCode,
    senderIdentity: `voice-agent-${randomUUID()}`,
    events: {},
  });
  let conversation: HostedConversation | undefined;
  try {
    await room.waitUntilLive(ANSWER_TIMEOUT_MS);
    await stage.settle();
    const [plain] = await stage.sessionPids();
    conversation = await stage.open();
    const { person } = conversation;
    const { endMs } = await person.say(questions[0]);
    await stage.untilHeard(person, endMs, ANSWER_TIMEOUT_MS);
    await stage.untilQuiet(person);
    await stage.settle();
    const [talking] = (await stage.sessionPids()).filter((pid) => pid !== plain);
    const listening = await cpuBeyond(plain, talking, () => delay(seconds * 1000));
    const memoryMb = (await readPssMb([talking])) - (await readPssMb([plain]));
    const talked = await cpuBeyond(plain, talking, async () => {
      for (const sinceMs = performance.now(); performance.now() - sinceMs < seconds * 1000; )
        for (const question of questions) await person.say(question);
    });
    return {
      listening_core_percent: listening,
      talking_core_percent: talked,
      conversation_mb: Math.round(memoryMb * 10) / 10,
    };
  } finally {
    await conversation?.close();
    await room.close();
  }
}

/** CPU of one process beyond the one of another during `work`, % of a core. */
async function cpuBeyond(plain: number, talking: number, work: () => Promise<void>): Promise<number> {
  const before = await readProcesses();
  const startedMs = performance.now();
  await work();
  const spanMs = performance.now() - startedMs;
  const after = await readProcesses();
  const of = (wanted: number) =>
    cpuBetween(
      before,
      after.filter(({ pid }) => pid === wanted),
    );
  return Math.round(((of(talking) - of(plain)) / spanMs) * 1000) / 10;
}

/** Persons only listen; the video goes to an audience that takes packets, so that decoding takes no part. */
async function measureFour({
  stage,
  questions,
  seconds,
  environment,
  report,
}: CostOptions): Promise<CostMetrics["four"]> {
  const { service } = stage;
  const audience = await startAudience({ avatarIdentity: AVATAR_IDENTITY, environment, report });
  const opened: HostedConversation[] = [];
  try {
    for (let index = 0; index < AT_ONCE; index++) {
      const conversation = await stage.open({ isWatching: false });
      opened.push(conversation);
      const token = await mintToken(service, conversation.roomName, `audience-${index}`);
      await audience.join({ id: String(index), url: service.livekit.url, token });
    }
    await stage.settle();
    await audience.report();
    const untilMs = performance.now() + seconds * 1000;
    const turns = await Promise.all(
      opened.map(async ({ person }, index) => {
        await delay(index * 700);
        return converse(stage, person, questions, untilMs);
      }),
    );
    const seen = Object.values(await audience.report());
    const all = await readProcesses();
    const parts = partsOf(all, await stage.processes([audience.pid]));
    const pids = [parts.service, parts.start, parts.api, parts.livekit, parts.postgres].flat().map(({ pid }) => pid);
    return {
      late_frames_percent: Math.max(...seen.map(({ lateFramesPercent }) => lateFramesPercent)),
      fps: Math.min(...seen.map(({ fps }) => fps)),
      turns: turns.reduce((sum, each) => sum + each, 0),
      together_mb: await readPssMb([...new Set(pids)]),
    };
  } finally {
    for (const { close } of opened) await close();
    await audience.close();
  }
}

async function measureGrowth(
  { stage, questions, minutes }: CostOptions,
  workers: readonly number[],
): Promise<CostMetrics["growth"]> {
  const { person, close } = await stage.open();
  const memory = async () => {
    const { service } = partsOf(await readProcesses(), { ...(await stage.processes()), workers: [...workers] });
    return readPssMb(service.map(({ pid }) => pid));
  };
  try {
    // What the first turns load is no growth.
    await converse(stage, person, questions, performance.now() + 15_000);
    const before = await memory();
    const turns = await converse(stage, person, questions, performance.now() + minutes * 60_000);
    return { minutes, turns, grown_mb: Math.round(((await memory()) - before) * 10) / 10 };
  } finally {
    await close();
  }
}

/** Asks and listens until a time; returns the number of answers. */
async function converse(
  stage: ConversationStage,
  person: HostedConversation["person"],
  questions: readonly Int16Array[],
  untilMs: number,
): Promise<number> {
  let answers = 0;
  for (let index = 0; performance.now() < untilMs; index++) {
    const { endMs } = await person.say(questions[index % questions.length]);
    if (await stage.untilHeard(person, endMs, ANSWER_TIMEOUT_MS).catch(() => undefined)) answers += 1;
    await stage.untilQuiet(person);
    await delay(LOOP_PAUSE_MS);
  }
  return answers;
}

/** Api and workers with their processes, MB. */
async function servingMb(stage: ConversationStage): Promise<number> {
  const { service, api } = partsOf(await readProcesses(), await stage.processes());
  return readPssMb([...service, ...api].map(({ pid }) => pid));
}
