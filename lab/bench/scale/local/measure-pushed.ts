// Sessions to which senders push speech: those that their viewers render, and streamed ones without a viewer.
import { setTimeout as delay } from "node:timers/promises";
import type { SpeechFile } from "../../clients/speech-file.ts";
import type { ServiceProcesses } from "../../service/find-service-processes.ts";
import type { DrivenService } from "../../service/own-service.ts";
import {
  closeSession,
  type OpenedSession,
  openLocalSession,
  openSession,
  type RoomListener,
} from "../../service/session-opener.ts";
import { waitUntilAsync } from "../../service/wait-until-async.ts";
import { SENT_SAMPLE_RATE_HZ } from "../../speech.ts";
import { waitUntilQuiet } from "../measure-starts.ts";
import type { Judge, ScaleClients } from "../scale-clients.ts";
import { kbpsOf } from "./kbps-of.ts";
import { type LocalRow, type LocalRowName, missedLocalGoals } from "./local-metrics.ts";
import { measureWindow } from "./measure-window.ts";
import { posesOf, visemeAgreement } from "./viseme-agreement.ts";

export interface PushedOptions {
  service: DrivenService;
  clients: ScaleClients;
  speech: SpeechFile;
  /** CPU of the idle workers, % of a core. */
  idleCpu: number;
  /** Length of each measurement, s. */
  seconds: number;
  /** Every listener decodes and judges. */
  decodeAll: boolean;
  /** As they are now. */
  findProcesses(): Promise<ServiceProcesses>;
}

const KINDS = {
  local: ["viewers render, silent", "viewers render, speaking"],
  unwatched: ["streamed without a viewer, silent", "streamed without a viewer, speaking"],
} as const satisfies Record<string, readonly [LocalRowName, LocalRowName]>;

const READY_TIMEOUT_MS = 90_000;
/** Longer than video is rendered after its last viewer, and than a worker needs to make its next process ready. */
const SETTLE_MS = 8_000;
/** Judges learn the portrait's rest pose from silence. */
const SILENT_MS = 2_000;
const LAST_SOUND_MS = 1_500;
/** Speech of each sender begins this much later in the text, s. */
const SPEECH_STEP_S = 5;

/** Two rows: the sessions are silent, then all are spoken to. */
export async function measurePushed(
  kind: keyof typeof KINDS,
  sessions: number,
  options: PushedOptions,
): Promise<LocalRow[]> {
  const { service, clients, decodeAll, seconds } = options;
  const opened: OpenedSession[] = [];
  const names = KINDS[kind];
  try {
    await waitUntilQuiet(await options.findProcesses());
    for (const listener of await clients.listenersFor(sessions, decodeAll)) {
      opened.push(
        kind === "local"
          ? await openLocalSession(service, listener, clients.senders)
          : await openSession(service, listener, clients.senders, "nothing"),
      );
    }
    await waitUntilAsync(() => areAnswered(opened, clients), "the avatars answer", READY_TIMEOUT_MS);
    await delay(SETTLE_MS);
    const rows: LocalRow[] = [];
    for (const [index, name] of names.entries()) {
      rows.push(await measureRow(name, opened, options, () => (index === 0 ? wait(seconds) : speak(opened, options))));
    }
    return rows;
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return names.map((name) => ({ name, sessions, failed, missed: missedLocalGoals({ name, sessions, failed }) }));
  } finally {
    for (const session of opened) await closeSession(service, session, clients.senders);
  }
}

async function measureRow(
  name: LocalRowName,
  opened: readonly OpenedSession[],
  options: PushedOptions,
  work: () => Promise<number[][]>,
): Promise<LocalRow> {
  const { service, clients, idleCpu, findProcesses } = options;
  const sessions = opened.length;
  const judged = opened.flatMap(({ id, listener }, index) => {
    const judge = judgeOf(listener, clients);
    return judge ? [{ id, judge, index }] : [];
  });
  for (const { id, judge } of judged) await judge.process.call("begin", { id });
  await delay(SILENT_MS);
  const processes = await findProcesses();
  await clients.audience.report();
  const startedMs = performance.now();
  const window = { livekitUrl: service.livekit.url, processes, idleCpu, sessions };
  const { result: sent, cost } = await measureWindow(window, work);
  const packets = Object.values(await clients.audience.report());
  const spanMs = performance.now() - startedMs;
  await delay(LAST_SOUND_MS);
  const motion = await Promise.all(judged.map(({ id, judge }) => judge.process.call("motion", { id })));
  const visemes: NonNullable<LocalRow["visemes"]>[] = [];
  const heard: Pick<Required<LocalRow>, "audio_ms" | "audio_holes">[] = [];
  for (const { id, judge, index } of sent.length > 0 ? judged : []) {
    const request = { id, sentAtMs: sent[index], speechFile: options.speech.file, fromS: fromS(index, options) };
    const { audio_ms, audio_holes } = await judge.process.call("judge", request);
    heard.push({ audio_ms, audio_holes });
    const shown = await judge.process.call("poses", { id });
    if (shown.length === 0) continue;
    const { share, share_of_arrived } = visemeAgreement(
      shown,
      await posesOf(saidBy(index, options), SENT_SAMPLE_RATE_HZ),
    );
    visemes.push({ all: share, arrived: share_of_arrived });
  }
  const row = {
    name,
    sessions,
    ...cost,
    kbps: kbpsOf(packets, spanMs),
    motion_fps: Math.min(...motion.map(({ fps }) => fps)),
    motion_packets_per_s: Math.round((motion[0].packets * 10_000) / (spanMs + SILENT_MS + LAST_SOUND_MS)) / 10,
    ...(heard.length > 0 && {
      audio_ms: [...heard].sort((a, b) => p95Of(b) - p95Of(a))[0].audio_ms,
      audio_holes: Math.max(...heard.map(({ audio_holes }) => audio_holes)),
    }),
    ...(visemes.length > 0 && {
      visemes: {
        all: Math.min(...visemes.map(({ all }) => all)),
        arrived: Math.min(...visemes.map(({ arrived }) => arrived)),
      },
    }),
    longest_audio_gap_ms: Math.max(0, ...packets.map(({ longestAudioGapMs }) => longestAudioGapMs)),
  };
  return { ...row, missed: missedLocalGoals(row) };
}

function p95Of({ audio_ms }: Pick<LocalRow, "audio_ms">): number {
  return audio_ms?.p95 ?? Number.POSITIVE_INFINITY;
}

/** Whether every avatar has answered what its listener needs. */
async function areAnswered(opened: readonly OpenedSession[], clients: ScaleClients): Promise<boolean> {
  const packets = await clients.audience.report();
  const answers = opened.map(({ id, listener }) => {
    const judge = judgeOf(listener, clients);
    return judge ? judge.process.call("renders", { id }) : packets[id]?.renders;
  });
  return (await Promise.all(answers)).every((answer) => Boolean(answer));
}

function judgeOf(listener: RoomListener, clients: ScaleClients): Judge | undefined {
  return clients.judges.find((judge) => judge === listener);
}

async function wait(seconds: number): Promise<number[][]> {
  await delay(seconds * 1000);
  return [];
}

/** Send times of the pieces, by session. */
function speak(opened: readonly OpenedSession[], options: PushedOptions): Promise<number[][]> {
  const { clients, seconds } = options;
  return Promise.all(
    opened.map(async ({ id }, index) => {
      // Not all in the same millisecond.
      await delay((index * 40) / 3);
      return clients.senders.call("speak", { id, seconds, fromS: fromS(index, options) });
    }),
  );
}

/** First second of what the sender with this index says. */
function fromS(index: number, { speech, seconds }: PushedOptions): number {
  const speechS = speech.samples.length / SENT_SAMPLE_RATE_HZ;
  return (index * SPEECH_STEP_S) % Math.max(SPEECH_STEP_S, Math.floor(speechS) - seconds);
}

function saidBy(index: number, options: PushedOptions): Int16Array {
  const from = fromS(index, options) * SENT_SAMPLE_RATE_HZ;
  return options.speech.samples.subarray(from, from + options.seconds * SENT_SAMPLE_RATE_HZ);
}
