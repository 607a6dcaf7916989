// `npm run bench -- scale --nodes`: a fleet on this machine, how its sessions are spread, and what viewers and clients
// notice when parts of it are killed.
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Progress } from "../../cli/start/progress.ts";
import { makeSpeechFile } from "../crew/speech-file.ts";
import { summarize } from "../percentile.ts";
import { describeCommit } from "../service/describe-commit.ts";
import { Fleet, readWorker } from "./fleet.ts";
import { FLEET_FAULTS, type FleetFaultKind } from "./fleet-faults.ts";
import type { FleetFault, FleetFigures, WorkerShare } from "./fleet-figures.ts";
import { FleetStage } from "./fleet-stage.ts";
import { hasRedis, REDIS_MISSING } from "./redis-server.ts";
import { RequestLoad } from "./request-load.ts";
import { findS3Program } from "./s3-server.ts";

export interface FleetBenchOptions {
  environment: Readonly<Record<string, string | undefined>>;
  progress: Progress;
  nodes: number;
  workers: number;
  /** Names of faults; default: all. */
  faults?: readonly string[];
  sessions: number;
  /** Frame rate of the avatars, as in AVATAR_MAX_FPS. */
  maxFps: string;
  /** Receives what must be undone if the benchmark is interrupted. */
  onClose(undo: () => Promise<void>): void;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const APIS = 2;
const SPEECH_S = 40;
/** The fault strikes this long after the senders began. */
const BEFORE_MS = 3_000;
/** Watched after it, if nothing may be noticed. */
const AFTER_MS = 12_000;
const BACK_TIMEOUT_MS = 60_000;
/** Until a repaired part has been noticed by the others, and the machine is quiet again. */
const SETTLE_MS = 5_000;
/** A viewer notices frames or audio that stop for longer than this. */
export const NOTICED_GAP_MS = 500;

/** Starts the fleet, measures, and ends it. Throws Error without Redis. */
export async function benchFleet(options: FleetBenchOptions): Promise<FleetFigures> {
  const { progress, environment, nodes, workers, sessions, maxFps, onClose } = options;
  if (!(await hasRedis())) throw new Error(REDIS_MISSING);
  const speech = await makeSpeechFile(SPEECH_S);
  onClose(() => speech.close());
  const s3Program = await findS3Program({ ...environment });
  const settings = { AVATAR_MAX_FPS: maxFps, AVATAR_VOICE: "formant", AVATAR_MAX_SESSIONS: "16" };
  const start = () => Fleet.start({ environment, nodes, workers, apis: APIS, settings, s3Program, onClose });
  const fleet = await progress.step("fleet", start, () => describeParts(options, s3Program !== null));
  onClose(() => fleet.close());
  let stage: FleetStage | null = null;
  try {
    const makeAgent = () => fleet.addAgent();
    await progress.step("agent", makeAgent, () => fleet.agentCode);
    const report = (line: string) => progress.note(line);
    stage = await FleetStage.start({ fleet, speechFile: speech.file, environment, report });
    const started = stage;
    const shares = await progress.step("sessions", () => spread(fleet, started, sessions), describeShares);
    const faults: FleetFault[] = [];
    for (const kind of FLEET_FAULTS.filter(({ name }) => options.faults?.includes(name) ?? true)) {
      faults.push(await progress.step(kind.name, () => strike(fleet, started, kind), describeFault));
    }
    return {
      ...{ subject: await describeCommit(ROOT), nodes, apis: APIS, has_bucket: s3Program !== null },
      ...{ workers: shares, faults },
    };
  } finally {
    await stage?.close();
    await fleet.close();
    await speech.close();
  }
}

/** Opens the sessions, one after the other. */
async function spread(fleet: Fleet, stage: FleetStage, sessions: number): Promise<WorkerShare[]> {
  const before = await Promise.all(fleet.workers.map(readWorker));
  for (let index = 0; index < sessions; index++) await stage.open();
  const after = await Promise.all(fleet.workers.map(readWorker));
  return after.map(({ activeSessions }, index) => ({
    worker: index + 1,
    room: before[index].maxSessions,
    sessions: activeSessions,
  }));
}

async function strike(fleet: Fleet, stage: FleetStage, { what, awayMs, inject }: FleetFaultKind): Promise<FleetFault> {
  const { baseUrl } = fleet.client;
  const [{ sessionId }] = stage.sessions;
  const paths = [`/v1/agent/status/${fleet.agentCode}`, `/v1/runtime-sessions/${sessionId}`];
  const urls = paths.map((path) => baseUrl + path);
  const before = await stage.countDispatches();
  const sessions = stage.sessions.length;
  const load = new RequestLoad({ urls, headers: { "api-secret": fleet.apiSecret } });
  const speaking = stage.speak(Math.min(SPEECH_S, (BEFORE_MS + AFTER_MS) / 1000));
  await delay(BEFORE_MS);
  await stage.audience.report();
  // A gap is counted from the first frame after the report on.
  await delay(NOTICED_GAP_MS);
  const struckAtMs = performance.now();
  const repair = await inject(fleet);
  const deadAtMs = performance.now();
  await delay(AFTER_MS);
  const { notBack, reloaded } = await stage.untilAllShow(BACK_TIMEOUT_MS);
  const figures = stage.sessions.map(({ id }) => id);
  const packets = await stage.audience.report();
  const requests = await load.end(struckAtMs, deadAtMs);
  await speaking;
  const nextStartMs = await stage.open().catch(() => null);
  if (stage.sessions.length > sessions) await stage.closeLast();
  const after = await stage.countDispatches();
  await repair();
  await delay(SETTLE_MS);
  const gaps = figures.map((id) => packets[id].longestFrameGapMs);
  const away = gaps.filter((gap) => gap > NOTICED_GAP_MS);
  const others = figures
    .map((id) => packets[id])
    .filter(({ longestFrameGapMs }) => longestFrameGapMs <= NOTICED_GAP_MS);
  const dispatchedTwice = [...after].filter(([id, count]) => count > (before.get(id) ?? count) + 1).length;
  const result = {
    ...{ fault: what, goal: awayMs > 0 ? `back ≤ ${awayMs / 1000} s` : "not seen" },
    ...{ sessions, seen: away.length, away_ms: away.length > 0 ? summarize(away) : null },
    ...{ not_back: notBack, reloaded },
    others_longest_gap_ms: Math.max(0, ...others.map(({ longestFrameGapMs }) => longestFrameGapMs)),
    others_longest_audio_gap_ms: Math.max(0, ...others.map(({ longestAudioGapMs }) => longestAudioGapMs)),
    ...{ dispatched_twice: dispatchedTwice, requests, next_start_ms: nextStartMs },
  };
  return { ...result, is_reached: isReached(result, awayMs) };
}

function isReached(figures: Omit<FleetFault, "is_reached">, awayMs: number): boolean {
  const { not_back, away_ms, requests, next_start_ms, dispatched_twice } = figures;
  if (not_back > 0 || requests.failed > 0 || next_start_ms === null || dispatched_twice > 0) return false;
  return (away_ms?.max ?? 0) <= Math.max(awayMs, NOTICED_GAP_MS);
}

function describeParts({ nodes, workers }: FleetBenchOptions, hasBucket: boolean): string {
  return `Redis, ${nodes} LiveKit nodes, ${APIS} api processes, ${workers} workers, ${hasBucket ? "a bucket" : "no bucket"}`;
}

function describeShares(shares: readonly WorkerShare[]): string {
  return shares.map(({ worker, room, sessions }) => `worker ${worker} had room for ${room}: ${sessions}`).join(", ");
}

function describeFault({ seen, sessions, away_ms, is_reached }: FleetFault): string {
  const noticed = away_ms ? `${seen} of ${sessions} away for ${(away_ms.max / 1000).toFixed(1)} s at most` : "not seen";
  return `${noticed}, goal ${is_reached ? "reached" : "missed"}`;
}
