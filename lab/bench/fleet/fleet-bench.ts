// `npm run bench -- scale --nodes`: a fleet on this machine, how its sessions are spread, and what viewers and clients
// notice when parts of it are killed.
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Progress } from "../../../cli/start/progress.ts";
import { makeSpeechFile } from "../clients/speech-file.ts";
import { summarize } from "../percentile.ts";
import { describeCommit } from "../service/describe-commit.ts";
import { Fleet, readWorker } from "./fleet.ts";
import { FLEET_FAULTS, type FleetFaultKind, NO_FAULT } from "./fleet-faults.ts";
import type { FleetFault, FleetMetrics, WorkerShare } from "./fleet-metrics.ts";
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
  /** Receives what must be undone if the benchmark is interrupted. */
  onClose(undo: () => Promise<void>): void;
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const APIS = 2;
const SPEECH_S = 20;
/** The fault strikes this long after the senders began. */
const BEFORE_MS = 3_000;
/** Watched after it, if nothing may be noticed. */
const AFTER_MS = 14_000;
const BACK_TIMEOUT_MS = 60_000;
/** Until a repaired part has been noticed by the others, and the machine is quiet again. */
const SETTLE_MS = 5_000;
/** A viewer notices frames that stop for longer than this. */
const NOTICED_GAP_MS = 500;
/** On a machine that is too busy for its sessions, faces stand still at times without any fault. */
const BASELINE_MARGIN = 1.3;
/** A machine on which they stand still for longer is too busy to tell anything. */
const BUSY_GAP_MS = 3_000;

type Baseline = Pick<FleetFault, "longest_gap_ms" | "audio_holes">;

/** Of the baseline itself. */
const ANYTHING: Baseline = { longest_gap_ms: Number.POSITIVE_INFINITY, audio_holes: Number.POSITIVE_INFINITY };

/** Starts the fleet, measures, and ends it. Throws Error without Redis. */
export async function benchFleet(options: FleetBenchOptions): Promise<FleetMetrics> {
  const { progress, environment, nodes, workers, sessions, onClose } = options;
  // Four sessions beside their viewers need all of two cores at the full rate.
  const maxFps = environment.AVATAR_MAX_FPS ?? "12.5";
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
    stage = await FleetStage.start(fleet, speech.file);
    const started = stage;
    const shares = await progress.step("sessions", () => spread(fleet, started, sessions), describeShares);
    const watchOnly = () => strike(fleet, started, NO_FAULT, ANYTHING);
    const baseline = await progress.step("no fault", watchOnly, describeBaseline);
    const faults = [baseline];
    for (const kind of FLEET_FAULTS.filter(({ name }) => options.faults?.includes(name) ?? true)) {
      faults.push(await progress.step(kind.name, () => strike(fleet, started, kind, baseline), describeFault));
    }
    return {
      subject: await describeCommit(ROOT),
      nodes,
      apis: APIS,
      has_bucket: s3Program !== null,
      max_fps: Number(maxFps),
      workers: shares,
      faults,
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
    capacity: before[index].maxSessions,
    sessions: activeSessions,
  }));
}

/** Injects a fault and repairs it. `baseline`: what is noticed without one. */
async function strike(fleet: Fleet, stage: FleetStage, kind: FleetFaultKind, baseline: Baseline): Promise<FleetFault> {
  const { what, awayMs, inject } = kind;
  const ownMs = Math.min(BUSY_GAP_MS, BASELINE_MARGIN * baseline.longest_gap_ms);
  const noticedMs = kind === NO_FAULT ? Number.POSITIVE_INFINITY : Math.max(NOTICED_GAP_MS, ownMs);
  const { baseUrl } = fleet.client;
  const [sessionId] = stage.sessionIds;
  const sessions = stage.sessionIds.length;
  const paths = [`/v1/agent/status/${fleet.agentCode}`, `/v1/runtime-sessions/${sessionId}`];
  const urls = paths.map((path) => baseUrl + path);
  const before = await stage.countDispatches();
  const load = new RequestLoad({ urls, headers: { "api-secret": fleet.apiSecret } });
  await stage.watch();
  const speaking = stage.speak((BEFORE_MS + AFTER_MS) / 1000);
  await delay(BEFORE_MS);
  const struckAtMs = performance.now();
  const repair = await inject(fleet);
  const deadAtMs = performance.now();
  const sentAtMs = await speaking;
  const reloaded = await stage.untilAllShow(BACK_TIMEOUT_MS);
  const noticed = await stage.judge(sentAtMs, noticedMs);
  const requests = await load.end(struckAtMs, deadAtMs);
  const nextStartMs = await stage.open().catch(() => null);
  if (stage.sessionIds.length > sessions) await stage.closeLast();
  const after = await stage.countDispatches();
  await repair();
  await delay(SETTLE_MS);
  const away = noticed.map(({ longestGapMs }) => longestGapMs).filter((gap) => gap > noticedMs);
  const others = noticed.filter(({ longestGapMs }) => longestGapMs <= noticedMs);
  const result = {
    fault: what,
    goal: goalOf(kind),
    sessions,
    seen: away.length,
    away_ms: away.length > 0 ? summarize(away) : null,
    not_back: noticed.filter(({ isShown }) => !isShown).length,
    reloaded,
    longest_gap_ms: Math.max(0, ...others.map(({ longestGapMs }) => longestGapMs)),
    audio_holes: others.reduce((sum, { audioHoles }) => sum + (audioHoles ?? 0), 0),
    dispatched_twice: [...after].filter(([id, count]) => count > (before.get(id) ?? count) + 1).length,
    requests,
    next_start_ms: nextStartMs,
  };
  return { ...result, is_reached: isReached(result, awayMs, baseline) };
}

function goalOf(kind: FleetFaultKind): string {
  if (kind === NO_FAULT) return "–";
  return kind.awayMs > 0 ? `back ≤ ${kind.awayMs / 1000} s` : "not seen";
}

function isReached(metrics: Omit<FleetFault, "is_reached">, awayMs: number, baseline: Baseline): boolean {
  const { not_back, away_ms, requests, next_start_ms, dispatched_twice, audio_holes } = metrics;
  if (not_back > 0 || requests.failed > 0 || next_start_ms === null || dispatched_twice > 0) return false;
  return awayMs > 0 ? (away_ms?.max ?? 0) <= awayMs : away_ms === null && audio_holes <= baseline.audio_holes;
}

function describeParts({ nodes, workers }: FleetBenchOptions, hasBucket: boolean): string {
  return `Redis, ${nodes} LiveKit nodes, ${APIS} api processes, ${workers} workers, ${hasBucket ? "a bucket" : "no bucket"}`;
}

function describeShares(shares: readonly WorkerShare[]): string {
  return shares
    .map(({ worker, capacity, sessions }) => `worker ${worker} had a capacity of ${capacity}: ${sessions}`)
    .join(", ");
}

function describeBaseline({ longest_gap_ms, audio_holes }: FleetFault): string {
  const noticed = `no frame for ${(longest_gap_ms / 1000).toFixed(1)} s at most, ${audio_holes} holes`;
  return longest_gap_ms > BUSY_GAP_MS ? `${noticed}: this machine is too busy` : noticed;
}

function describeFault({ seen, sessions, away_ms, is_reached }: FleetFault): string {
  const noticed = away_ms ? `${seen} of ${sessions} away for ${(away_ms.max / 1000).toFixed(1)} s at most` : "not seen";
  return `${noticed}, goal ${is_reached ? "reached" : "missed"}`;
}
