// How soon `service-realtime` answers, over a WebSocket and over WebRTC, beside a conversation in a room with the same
// speech recognition, language model and voice. The three are asked in turn, so that other load affects all alike.
import { PERSON_RATE_HZ } from "../../../cli/conversation/scripted-person.ts";
import { waitUntil } from "../../../cli/service/wait-until.ts";
import { SERVICE_REALTIME_MODEL } from "../../../shared/wire-names.ts";
import type { TurnTimes } from "../../../src/conversation/turns/conversation-listener.ts";
import { int16AtRate } from "../../../src/signal/audio/at-rate.ts";
import type { ConversationStage } from "../conversation/conversation-stage.ts";
import { spreadOf } from "../conversation/measure-answers.ts";
import { readWorkerTurns } from "../conversation/worker-turns.ts";
import { percentile } from "../percentile.ts";
import { round } from "../round.ts";
import type { OwnAnswerMetrics, OwnMetrics } from "./realtime-metrics.ts";
import { SOCKET_RATE_HZ, SocketCaller } from "./socket-caller.ts";
import { CALLER_RATE_HZ, WebRtcCaller } from "./webrtc-caller.ts";

/** An answer that has not begun by then does not count, ms. */
const ANSWER_TIMEOUT_MS = 20_000;
/** Longer than the pause between two sentences, ms. */
const QUIET_MS = 900;
const QUIET_TIMEOUT_MS = 90_000;

/** Who asks. Times in ms of `performance.now`. */
interface Caller {
  say(samples: Int16Array): Promise<{ endMs: number }>;
  firstSoundSince(sinceMs: number): number | undefined;
  /** When its audio arrived; missing if it arrives as it is heard. */
  firstAudioSince?(sinceMs: number): number | undefined;
  readonly lastSoundMs: number | undefined;
  close(): Promise<void>;
}

interface Answer {
  answerMs: number;
  arrivedMs: number;
  /** As the worker saw it. */
  told: TurnTimes | undefined;
}

const WAYS = ["room", "websocket", "webrtc"] as const;
type Way = (typeof WAYS)[number];

/** Asks each question in turn until each way had `turns`. `questions`: mono at 16 kHz. */
export async function measureOwn(
  stage: ConversationStage,
  questions: readonly Int16Array[],
  turns: number,
): Promise<OwnMetrics> {
  const callers = await openCallers(stage);
  const answers: Record<Way, (Answer | undefined)[]> = { room: [], websocket: [], webrtc: [] };
  try {
    // The first turn loads what the later ones need.
    for (let turn = -1; turn < turns; turn++) {
      const question = questions[(turn + 1) % questions.length];
      for (const way of WAYS) {
        const answer = await ask(stage, callers[way], question);
        if (turn >= 0) answers[way].push(answer);
      }
    }
  } finally {
    await Promise.all(WAYS.map((way) => callers[way].close()));
  }
  const added = (way: Way) => {
    const all = answers[way].flatMap((answer, turn) => {
      const room = answers.room[turn];
      return answer && room ? [answer.answerMs - room.answerMs] : [];
    });
    return all.length > 0 ? round(percentile(all, 0.5)) : null;
  };
  return {
    room: metricsOf(answers.room),
    websocket: metricsOf(answers.websocket),
    webrtc: metricsOf(answers.webrtc),
    added_ms: { websocket: added("websocket"), webrtc: added("webrtc") },
  };
}

async function openCallers(stage: ConversationStage): Promise<Record<Way, Caller>> {
  const { client, apiSecret } = stage.service;
  const headers = { "api-secret": apiSecret };
  const query = `model=${SERVICE_REALTIME_MODEL}`;
  const { person, close } = await stage.open({ isWatching: false });
  const room: Caller = {
    say: (samples) => person.say(samples),
    firstSoundSince: (sinceMs) => person.soundSince(sinceMs).at(0)?.atMs,
    get lastSoundMs() {
      return person.lastSoundMs;
    },
    close,
  };
  const opened: Caller[] = [room];
  try {
    const socket = await SocketCaller.call(`${client.baseUrl.replace(/^http/, "ws")}/v1/realtime?${query}`, headers);
    opened.push(socket);
    const peer = await WebRtcCaller.call(`${client.baseUrl}/v1/realtime/connect?${query}`, headers);
    return {
      room,
      websocket: speaking(socket, SOCKET_RATE_HZ),
      webrtc: speaking(peer, CALLER_RATE_HZ),
    };
  } catch (error) {
    await Promise.all(opened.map((caller) => caller.close()));
    throw error;
  }
}

/** The caller, which takes 16 kHz. */
function speaking(caller: Caller, rateHz: number): Caller {
  return {
    say: (samples) => caller.say(int16AtRate(samples, PERSON_RATE_HZ, rateHz)),
    firstSoundSince: (sinceMs) => caller.firstSoundSince(sinceMs),
    firstAudioSince: (sinceMs) => (caller.firstAudioSince ?? caller.firstSoundSince).call(caller, sinceMs),
    get lastSoundMs() {
      return caller.lastSoundMs;
    },
    close: () => caller.close(),
  };
}

/** Undefined without an answer. */
async function ask(stage: ConversationStage, caller: Caller, question: Int16Array): Promise<Answer | undefined> {
  const tellTurns = () => readWorkerTurns(stage.service.dataDir ?? "");
  const toldBefore = (await tellTurns()).length;
  const { endMs } = await caller.say(question);
  const first = () => caller.firstSoundSince(endMs);
  await waitUntil(() => first() !== undefined, "an answer", ANSWER_TIMEOUT_MS).catch(() => undefined);
  const firstSoundMs = first();
  const isQuiet = () => performance.now() - (caller.lastSoundMs ?? 0) > QUIET_MS;
  await waitUntil(isQuiet, "the answer is over", QUIET_TIMEOUT_MS);
  if (firstSoundMs === undefined) return undefined;
  const arrivedMs = (caller.firstAudioSince?.(endMs) ?? firstSoundMs) - endMs;
  return { answerMs: firstSoundMs - endMs, arrivedMs, told: (await tellTurns()).at(toldBefore) };
}

function metricsOf(answers: readonly (Answer | undefined)[]): OwnAnswerMetrics {
  const heard = answers.filter((answer) => answer !== undefined);
  const told = heard.flatMap((answer) => (answer.told ? [answer.told] : []));
  return {
    turns: heard.length,
    unanswered: answers.length - heard.length,
    answer_ms: spreadOf(heard.map(({ answerMs }) => answerMs)),
    arrived_ms: spreadOf(heard.map(({ arrivedMs }) => arrivedMs)),
    text_ms: spreadOf(told.map(({ textMs }) => textMs)),
    decided_ms: spreadOf(told.map(({ decidedMs }) => decidedMs)),
    first_piece_ms: spreadOf(told.flatMap(({ firstPieceMs }) => firstPieceMs ?? [])),
    first_audio_ms: spreadOf(told.flatMap(({ firstSoundMs }) => firstSoundMs ?? [])),
    way_ms: spreadOf(
      heard.flatMap(({ answerMs, told: times }) =>
        times?.firstSoundMs === undefined ? [] : answerMs - times.firstSoundMs,
      ),
    ),
  };
}
