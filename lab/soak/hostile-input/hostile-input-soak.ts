// Floods at every input that a remote party can grow, one after the other, while two avatars speak. The memory of the
// service must not grow, the avatars must be heard without a gap, and every refusal must have a code of the contract.

import { ERROR_CODES } from "../../../shared/errors.ts";
import { disposeRtc } from "../../../test/helpers/livekit/dispose-rtc.ts";
import { WIRE_FORMS } from "../../../test/helpers/servers/chat-wire-forms.ts";
import { type ChatServer, withChatServer } from "../../../test/helpers/servers/with-chat-server.ts";
import { withNameServer } from "../../../test/helpers/servers/with-name-server.ts";
import { visitAgent } from "../../../test/helpers/service/visit-agent.ts";
import { waitFor } from "../../../test/helpers/wait-for.ts";
import type { ListenerMetrics } from "../../bench/clients/listener-metrics.ts";
import { type DrivenService, startOwnService } from "../../bench/service/own-service.ts";
import { createSeededRandom, type SeededRandom } from "../seeded-random.ts";
import type { FloodReport, FloodTarget } from "./flood.ts";
import { FLOOD_NAMES, type FloodName } from "./floods.ts";
import { startFlood } from "./run-flood.ts";
import { PROGRAMS, type ServiceMemory, ServiceMemoryMeter } from "./service-memory.ts";
import { StreamedSessions } from "./streamed-sessions.ts";

export interface HostileInputOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** Length of all floods and pauses together. */
  minutes: number;
  seed: number;
  /** Default: all. */
  floods?: readonly FloodName[];
  report(line: string): void;
}

export interface FloodTurn {
  flood: FloodName;
  /** When it began, minutes from the first. */
  minute: number;
  sent: Record<string, number>;
  sent_mb: number;
  answers: Record<string, number>;
  /** Worst of the two sessions while the flood went on. */
  during: SeenMetrics;
  /** The same from 5 s after the flood's end; null in a short run, which tells nothing about frames. */
  after: SeenMetrics | null;
  /** Requests that reached the service's language model. */
  model_requests: number;
  /** At the end of the pause behind it. */
  memory: ServiceMemory;
}

export interface SeenMetrics {
  fps: number;
  audio_gaps: number;
  late_frames_percent: number;
}

export interface HostileInputResult {
  minutes: number;
  turns: FloodTurn[];
  /** Lowest of the turns around minute 10 and of the last ones. Null in a run of less than 20 minutes. */
  memory: { early: ServiceMemory; late: ServiceMemory } | null;
  violations: string[];
  /** What viewers noticed. Other load on the machine has the same effect. */
  disturbances: string[];
}

const SESSIONS = 2;
const ANSWER_TIMEOUT_MS = 60_000;
/** A long run gives each flood this, s; a short one as much as lets each have a turn. */
const FLOOD_S = 24;
const LEAST_FLOOD_S = 1.5;
/** A session shows every frame again this long after a flood, s; then it is watched for a time. */
const PAUSE = { recoveryS: 5, calmS: 6 };
/** Of a run that is too short for this. */
const SHORT_PAUSE = { recoveryS: 1, calmS: 0 };
const LEAST_CALM_FPS = 24.5;
/** Memory of the last turns may be this much of that at minute 10. */
const MOST_GROWTH = 1.1;
const EARLY_MINUTE = 10;
/** A short run compares nothing, but no program may keep what a flood sent, MB. */
const MOST_KEPT_MB = 300;
/** Heap sizes vary: the lowest value of this many turns counts. */
const COMPARED_TURNS = 3;
/** Answers a second that an account can have computed, and at once: its bounds, and the streams beside it. */
const MOST_MODEL_REQUESTS_PER_S = 2;
const MODEL_REQUESTS_AT_ONCE = 20;
const [{ words }] = WIRE_FORMS;

/** Runs the floods against a service of its own. */
export async function soakHostileInput(options: HostileInputOptions): Promise<HostileInputResult> {
  const { environment, report } = options;
  return withChatServer(
    () => ({ body: words(["I am ", "an avatar."]) }),
    (chat) =>
      withNameServer(
        () => "silence",
        async ({ address }) => {
          const settings = {
            OPENAI_BASE_URL: chat.baseUrl,
            AVATAR_FIND_MODEL: "0",
            // The hostile servers of the floods are on this machine.
            AVATAR_ALLOW_PRIVATE_ADDRESSES: "1",
            AVATAR_NAME_SERVERS: address,
          };
          const service = await startOwnService({ environment: { ...environment, ...settings }, report });
          try {
            return await soak(service, chat, options);
          } finally {
            await service.close();
            await disposeRtc();
          }
        },
      ),
  );
}

async function soak(service: DrivenService, chat: ChatServer, options: HostileInputOptions) {
  const { minutes, report, seed } = options;
  const names = options.floods ?? FLOOD_NAMES;
  const random = createSeededRandom(seed);
  const shareS = (minutes * 60) / names.length;
  const pause = shareS < LEAST_FLOOD_S + PAUSE.recoveryS + PAUSE.calmS ? SHORT_PAUSE : PAUSE;
  const floodS = Math.min(FLOOD_S, Math.max(LEAST_FLOOD_S, shareS - pause.recoveryS - pause.calmS));
  const sessions = await StreamedSessions.open(service, SESSIONS);
  const turns: FloodTurn[] = [];
  const violations: string[] = [];
  const disturbances: string[] = [];
  try {
    const meter = await ServiceMemoryMeter.start(service, sessions.pids);
    await converse(service);
    const before = await meter.read();
    report(`before: ${describeMemory(before)}`);
    const target = await readTarget(service);
    const startedMs = performance.now();
    for (let waiting: FloodName[] = []; turns.length < names.length || passedS(startedMs) < minutes * 60; ) {
      if (waiting.length === 0) waiting = shuffle(names, random);
      const flood = waiting.pop() as FloodName;
      const minute = Math.round(passedS(startedMs) / 6) / 10;
      const asked = { name: flood, target, seed: random.integer(2 ** 31), seconds: floodS };
      const outcome = await flooded(asked, { sessions, chat, meter, pause });
      const turn: FloodTurn = { flood, minute, ...outcome.turn };
      turns.push(turn);
      const named = (what: string) => `minute ${minute}, ${flood}: ${what}`;
      violations.push(...outcome.violations.map(named));
      disturbances.push(...disturbancesOf(turn).map(named));
      report(describeTurn(turn));
      const lost = await meter.lost();
      violations.push(...lost.map((name) => named(`the ${name} ended`)));
      if (lost.length > 0) break;
    }
    const memory = compareMemory(turns, before, violations);
    return { minutes, turns, memory, violations, disturbances };
  } finally {
    await sessions.close();
  }
}

/** Loads what conversations need: voice, recogniser, end-of-turn model. */
async function converse(service: DrivenService): Promise<void> {
  const { client, apiSecret, agentCode } = service;
  const { person } = await visitAgent({ baseUrl: client.baseUrl, apiSecret, agentCode }, crypto.randomUUID());
  try {
    const isIn = (state: string) => () => person.states.at(-1)?.state === state;
    await waitFor(isIn("listening"), "the avatar listens", ANSWER_TIMEOUT_MS);
    const before = person.states.length;
    await person.type("Hello.");
    const hasAnswered = () => person.states.slice(before).some(({ state }) => state === "speaking");
    await waitFor(() => hasAnswered() && isIn("listening")(), "an answer", ANSWER_TIMEOUT_MS);
  } finally {
    await person.close();
  }
}

interface Stage {
  sessions: StreamedSessions;
  chat: ChatServer;
  meter: ServiceMemoryMeter;
  pause: typeof PAUSE;
}

async function flooded(
  order: { name: FloodName; target: FloodTarget; seed: number; seconds: number },
  { sessions, chat, meter, pause }: Stage,
): Promise<{ turn: Omit<FloodTurn, "flood" | "minute">; violations: string[] }> {
  const flood = await startFlood();
  const requestsBefore = chat.requests.length;
  const [report, seen] = await Promise.all([flood.run(order), sessions.speak(order.seconds)]);
  await new Promise((resolve) => setTimeout(resolve, pause.recoveryS * 1000 - SPOKEN_MS));
  const calm = pause.calmS > 0 ? await sessions.speak(pause.calmS) : null;
  const modelRequests = chat.requests.length - requestsBefore;
  // They are counted only: keeping them would make this process grow.
  for (const request of chat.requests.slice(requestsBefore)) request.body = null;
  const [during, after] = [worstOf(seen), calm && worstOf(calm)];
  const violations = [
    ...report.violations,
    ...wrongAnswers(report),
    ...(modelRequests > MODEL_REQUESTS_AT_ONCE + MOST_MODEL_REQUESTS_PER_S * order.seconds
      ? [`${modelRequests} requests of the language model`]
      : []),
  ];
  const { sent, answers } = report;
  const turn = {
    sent,
    answers,
    during,
    after,
    sent_mb: Math.round(report.sentBytes / 1e5) / 10,
    model_requests: modelRequests,
    memory: await meter.read(),
  };
  return { turn, violations };
}

/** `StreamedSessions.speak` resolves this long after the last word. */
const SPOKEN_MS = 1_000;

function disturbancesOf({ during, after }: FloodTurn): string[] {
  return [
    ...(during.audio_gaps > 0 ? [`${during.audio_gaps} audio gaps during the flood`] : []),
    ...(after && after.audio_gaps > 0 ? [`${after.audio_gaps} audio gaps after the flood`] : []),
    ...(after && after.fps < LEAST_CALM_FPS ? [`${after.fps} fps ${PAUSE.recoveryS} s after the flood`] : []),
  ];
}

/** Answers that the contract does not know. */
function wrongAnswers({ answers }: FloodReport): string[] {
  return Object.keys(answers)
    .filter((answer) => !isKnown(answer))
    .map((answer) => `answered "${answer}"`);
}

function isKnown(answer: string): boolean {
  const [first, second = "", ...rest] = answer.split(" ");
  if (rest.length > 0) return first === "provider" && second === "close";
  if (first === "close") return CLOSE_CODES.includes(Number(second));
  if (first === "event") return EVENT_CODES.includes(second);
  return /^20\d$/.test(first) || (ERROR_CODES as readonly string[]).includes(second);
}

/** Of a realtime call: policy, too big, try again later, no credit, silence. */
const CLOSE_CODES: readonly number[] = [1000, 1008, 1009, 1013, 4402, 4408];
/** Of `error` events: what a flood can be told. */
const EVENT_CODES: readonly string[] = [
  "event_too_large",
  "conversation_full",
  "input_audio_buffer_full",
  "rate_limit_exceeded",
  "conversation_already_has_active_response",
  "response_cancel_not_active",
  "invalid_value",
  "MODEL_LOCKED",
];

/** Adds to `violations` what grew. */
function compareMemory(turns: readonly FloodTurn[], before: ServiceMemory, violations: string[]) {
  const lowest = (some: readonly FloodTurn[]): ServiceMemory => ({
    workerMb: Math.min(...some.map(({ memory }) => memory.workerMb)),
    apiMb: Math.min(...some.map(({ memory }) => memory.apiMb)),
    relayMb: Math.min(...some.map(({ memory }) => memory.relayMb)),
  });
  const late = lowest(turns.slice(-COMPARED_TURNS));
  const at = turns.findIndex(({ minute }) => minute >= EARLY_MINUTE);
  const isLong = at >= 0 && turns.length - at > 2 * COMPARED_TURNS;
  const early = isLong ? lowest(turns.slice(Math.max(0, at - 1), at - 1 + COMPARED_TURNS)) : before;
  for (const program of PROGRAMS) {
    const limit = isLong ? early[program] * MOST_GROWTH : early[program] + MOST_KEPT_MB;
    if (late[program] > limit) violations.push(`${program} grew from ${early[program]} to ${late[program]}`);
  }
  return isLong ? { early, late } : null;
}

function worstOf(all: readonly ListenerMetrics[]): SeenMetrics {
  return {
    fps: Math.min(...all.map(({ fps }) => fps)),
    audio_gaps: Math.max(...all.map(({ audio_holes }) => audio_holes)),
    late_frames_percent: Math.max(...all.map(({ late_frames_percent }) => late_frames_percent)),
  };
}

async function readTarget({ client, apiSecret, livekit, agentCode }: DrivenService): Promise<FloodTarget> {
  const response = await fetch(`${client.baseUrl}/v1/me`, { headers: { "api-secret": apiSecret } });
  const { data } = (await response.json()) as { data: { user_id: string } };
  return { baseUrl: client.baseUrl, apiSecret, userId: data.user_id, livekit, agentCode };
}

function describeTurn({ flood, minute, sent, sent_mb, answers, during, after, memory, ...turn }: FloodTurn): string {
  const counts = (of: Record<string, number>) => Object.entries(of).map(([name, count]) => `${count} ${name}`);
  return [
    `minute ${minute.toFixed(1)}: ${flood}: ${counts(sent).join(", ")} (${sent_mb} MB)`,
    `answered ${counts(answers).join(", ") || "nothing"}`,
    `${turn.model_requests} model requests`,
    `${during.fps} fps, ${during.audio_gaps} gaps${after ? `; then ${after.fps} fps, ${after.audio_gaps} gaps` : ""}`,
    describeMemory(memory),
  ].join("; ");
}

export function describeMemory({ workerMb, apiMb, relayMb }: ServiceMemory): string {
  return `worker ${workerMb} MB, api ${apiMb} MB, relay ${relayMb} MB`;
}

function shuffle<T>(values: readonly T[], random: SeededRandom): T[] {
  return values
    .map((value) => ({ value, order: random.next() }))
    .sort((left, right) => left.order - right.order)
    .map(({ value }) => value);
}

function passedS(sinceMs: number): number {
  return (performance.now() - sinceMs) / 1000;
}
