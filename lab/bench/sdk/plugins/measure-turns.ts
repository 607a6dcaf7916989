// Turns of an agent with an avatar: captions beside the audio, cutting in, and a process that dies in a sentence.
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "../../../../cli/service/wait-until.ts";
import { readProcesses } from "../../cpu-time.ts";
import { round } from "../../round.ts";
import { findServiceProcesses, partsOf } from "../../service/find-service-processes.ts";
import { readTcpSockets } from "../../service/tcp-sockets.ts";
import type { Figure } from "../figure.ts";
import type { PluginStage, PreparedSpeech } from "./plugin-stage.ts";
import type { RoomWitness } from "./room-witness.ts";

const CUTS = 5;
const KILLS = 3;
const GOALS = { aheadSentences: 1, silentMs: 500 } as const;
/** A person cuts in after as much of the speech. */
const CUT_AFTER_MS = 1_000;
const SOUND_TIMEOUT_MS = 15_000;
/** A turn that goes on for longer than this after its avatar's process has died does not end with it. */
const TURN_END_LIMIT_MS = 15_000;

export async function measureTurns(stage: PluginStage, label: string): Promise<Figure[]> {
  const speech = await stage.prepareSpeech();
  const { room } = await stage.startAgent();
  const witness = await stage.joinAsWitness(room);
  try {
    await stage.agent.call("join", {});
    const ahead = await measureCaptions(stage, witness, speech);
    const silentMs: number[] = [];
    let wrongReports = 0;
    for (let index = 0; index < CUTS; index++) {
      const cut = await cutIn(stage, witness, speech);
      silentMs.push(cut.silentMs);
      if (!cut.isReportedOnce) wrongReports += 1;
    }
    let survived = 0;
    for (let index = 0; index < KILLS; index++) if (await outlivesKill(stage, witness, speech)) survived += 1;
    return [
      {
        name: `${label}: captions ahead of the audio`,
        value: ahead,
        unit: "sentences",
        goal: GOALS.aheadSentences,
        better: "lower",
      },
      {
        name: `${label}: silent after cutting in, worst of ${CUTS}`,
        value: round(Math.max(...silentMs)),
        unit: "ms",
        goal: GOALS.silentMs,
        better: "lower",
      },
      {
        name: `${label}: cuts without exactly one report of interrupted playback`,
        value: wrongReports,
        unit: "",
        goal: 0,
        better: "lower",
      },
      {
        name: `${label}: turns that end when the avatar's process is killed, and are followed by one that is heard`,
        value: survived,
        unit: `of ${KILLS}`,
        goal: KILLS,
        better: "higher",
      },
    ];
  } finally {
    await stage.agent.call("close", {});
    await witness.close();
  }
}

/** The most sentences that captions have begun before their audio was heard. */
async function measureCaptions(stage: PluginStage, witness: RoomWitness, speech: PreparedSpeech): Promise<number> {
  const beganMs = performance.now();
  await stage.say(speech);
  const audioMs = witness.firstSoundSince(beganMs);
  if (audioMs === undefined) throw new Error("nothing was heard of a turn");
  const captions = witness.captions.filter(({ atMs }) => atMs > beganMs);
  if (captions.length === 0) throw new Error("a turn had no captions");
  const starts = speech.sentences.map(({ text }) => speech.text.indexOf(text));
  const ahead = captions.map(({ atMs, length }) => {
    const begun = starts.filter((start) => start < length).length;
    const heard = speech.sentences.filter(({ startMs }) => audioMs + startMs <= atMs).length;
    return begun - heard;
  });
  return Math.max(...ahead);
}

async function cutIn(
  stage: PluginStage,
  witness: RoomWitness,
  speech: PreparedSpeech,
): Promise<{ silentMs: number; isReportedOnce: boolean }> {
  const { turn } = await speakUntilHeard(stage, witness, speech);
  const cutMs = performance.now();
  await stage.agent.call("interrupt", {});
  const { wasInterrupted, finished } = await turn;
  await waitUntil(() => witness.isQuiet, "the avatar is silent", SOUND_TIMEOUT_MS);
  return {
    silentMs: (witness.lastSoundSince(cutMs) ?? cutMs) - cutMs,
    isReportedOnce: wasInterrupted && finished.length === 1 && finished[0].interrupted,
  };
}

async function outlivesKill(stage: PluginStage, witness: RoomWitness, speech: PreparedSpeech): Promise<boolean> {
  const { turn } = await speakUntilHeard(stage, witness, speech);
  for (const pid of await sessionProcesses(stage)) process.kill(pid, "SIGKILL");
  const hasEnded = await Promise.race([turn.then(() => true), delay(TURN_END_LIMIT_MS, false)]);
  await turn;
  if (!hasEnded) return false;
  const beganMs = performance.now();
  await stage.say(speech);
  return witness.firstSoundSince(beganMs) !== undefined;
}

/** Begins a turn and resolves when a second of it was heard; `turn` resolves with its end. */
async function speakUntilHeard(stage: PluginStage, witness: RoomWitness, speech: PreparedSpeech) {
  await waitUntil(() => witness.isQuiet, "the avatar is silent", SOUND_TIMEOUT_MS);
  const beganMs = performance.now();
  const turn = stage.say(speech);
  const isHeard = () => {
    const firstMs = witness.firstSoundSince(beganMs);
    return firstMs !== undefined && performance.now() - firstMs > CUT_AFTER_MS;
  };
  await waitUntil(isHeard, "the turn is heard", SOUND_TIMEOUT_MS);
  return { turn };
}

/** Processes of the worker that are in a room. */
async function sessionProcesses({ service, agent }: PluginStage): Promise<number[]> {
  const addresses = { apiUrl: service.client.baseUrl, livekitUrl: service.livekit.url };
  const found = await findServiceProcesses(addresses, [process.pid, agent.pid]);
  const [all, sockets] = await Promise.all([readProcesses(), readTcpSockets()]);
  const port = Number(new URL(service.livekit.url).port);
  const connected = new Set(sockets.filter(({ remotePort }) => remotePort === port).flatMap(({ pids }) => pids));
  return partsOf(all, found)
    .service.map(({ pid }) => pid)
    .filter((pid) => connected.has(pid) && !found.workers.includes(pid));
}
