// Injects a fault into a speaking session, as often as wanted, and notes what sender and listener notice.
import { setTimeout as delay } from "node:timers/promises";
import { sharedNowMs } from "../clients/shared-clock.ts";
import { summarize } from "../percentile.ts";
import type { OpenedSession } from "../service/session-opener.ts";
import type { FaultMetrics } from "./chaos-metrics.ts";
import type { ChaosStage } from "./chaos-stage.ts";
import { checkBilling } from "./check-billing.ts";
import { checkReports } from "./check-reports.ts";
import type { Fault } from "./faults.ts";

export interface RunFaultOptions {
  stage: ChaosStage;
  fault: Fault;
  times: number;
  /** Of the speech that senders say; mono int16 at 16 kHz. */
  speechFile: string;
}

interface Outcome {
  /** Null if the face did not come back. */
  backMs: number | null;
  problem: string;
  areReportsRight: boolean;
  /** Of the first report, if it says interrupted. */
  positionBehindMs?: number;
  longestFrameGapMs?: number;
  audioHoles?: number;
}

/** One that plays when the fault strikes, and two behind it; s. */
const SEGMENTS_S = [6, 1, 1];
/** The fault strikes this long after the first sound, and up to twice as long. */
const SPOKEN_MS = 1000;
/** A fourth crash within a minute ends a session on purpose, as a crash loop, and so do three lost workers in a row. */
const FAULTS_PER_SESSION = 3;
const BACK_TIMEOUT_MS = 60_000;
const SOUND_TIMEOUT_MS = 20_000;
const REPORTS_TIMEOUT_MS = 10_000;
/** Speech that is played late on a busy machine is not the fault's doing. */
const PLAYED_TIMEOUT_MS = 30_000;
/** A second report of the same segment would come within this. */
const DUPLICATES_MS = 1500;
const POLL_MS = 50;
/** For faults that must not be seen: speech before and through the fault, s. */
const THROUGH_S = 22;
const BEFORE_MS = 2000;
/** A viewer notices a frame that stands longer than this. */
const NOTICED_GAP_MS = 500;

/** Runs the fault `times` times. A session that does not come back, or has seen enough faults, is replaced by a new
 *  one. */
export async function runFault(options: RunFaultOptions): Promise<FaultMetrics> {
  const { stage, fault, times } = options;
  const outcomes: Outcome[] = [];
  let status = "";
  let isBillingRight = true;
  const isSeen = fault.goal.backP95Ms !== undefined;
  for (let index = 0; index < times; index++) {
    const ready = await (isSeen ? startSpeaking(stage) : liveOnly(stage)).catch((error: Error) => error);
    if (ready instanceof Error) {
      outcomes.push(toOutcome(ready));
      continue;
    }
    const { session } = ready;
    const outcome = await (isSeen ? strike(ready, options) : speakThrough(session, options)).catch(toOutcome);
    outcomes.push(outcome);
    stage.noteAway(outcome.backMs ?? 0);
    const { shownS, awayS } = stage;
    const view = await stage.viewOf(session);
    status = view.status;
    const problem = status === "live" ? checkBilling(view.billedS, shownS, awayS) : "";
    outcome.problem = [outcome.problem, problem].filter(Boolean).join(", ");
    isBillingRight &&= problem === "";
    const isLast = index === times - 1;
    if (isSeen && (isLast || (index + 1) % FAULTS_PER_SESSION === 0)) await stage.closeSession();
  }
  const back = outcomes.flatMap(({ backMs }) => backMs ?? []);
  const behind = outcomes.flatMap(({ positionBehindMs }) => positionBehindMs ?? []);
  const metrics = {
    fault: fault.what,
    goal: isSeen ? `back ≤ ${(fault.goal.backP95Ms ?? 0) / 1000} s (p95)` : "not seen",
    times,
    back_ms: isSeen && back.length > 0 ? summarize(back) : null,
    not_back: times - back.length,
    reports_right: outcomes.filter(({ areReportsRight }) => areReportsRight).length,
    position_behind_ms: behind.length > 0 ? summarize(behind) : null,
    ...(isSeen ? {} : worstOf(outcomes)),
    is_billing_right: isBillingRight,
    status_after: status,
    problems: mostFrequent(outcomes.map(({ problem }) => problem).filter(Boolean)),
  };
  return { ...metrics, is_reached: isReached(metrics, fault) };
}

function worstOf(outcomes: readonly Outcome[]): Pick<FaultMetrics, "longest_frame_gap_ms" | "audio_holes"> {
  return {
    longest_frame_gap_ms: Math.max(...outcomes.map(({ longestFrameGapMs = 0 }) => longestFrameGapMs)),
    audio_holes: Math.max(...outcomes.map(({ audioHoles = 0 }) => audioHoles)),
  };
}

/** A fault with consequences that cannot be observed counts as not survived. */
function toOutcome(error: Error): Outcome {
  return { backMs: null, areReportsRight: false, problem: error.message };
}

function isReached(metrics: Omit<FaultMetrics, "is_reached">, { goal }: Fault): boolean {
  const { back_ms, not_back, reports_right, times, longest_frame_gap_ms = 0, audio_holes = 0 } = metrics;
  if (not_back > 0 || reports_right < times || !metrics.is_billing_right) return false;
  if (goal.backP95Ms !== undefined) return back_ms !== null && back_ms.p95 <= goal.backP95Ms;
  return longest_frame_gap_ms <= NOTICED_GAP_MS && audio_holes === 0;
}

interface Ready {
  session: OpenedSession;
  /** Reports that the sender had before this fault. */
  reportsBefore: number;
  /** When the first segment began to be heard, shared clock. */
  heardAtMs: number;
  /** What was wrong before the fault. */
  problem: string;
}

async function liveOnly(stage: ChaosStage): Promise<Ready> {
  return { session: await stage.liveSession(), reportsBefore: 0, heardAtMs: 0, problem: "" };
}

/** A session in which the first of three segments plays. One that shows frames, but does not speak any more after an
 *  earlier fault, is noted and replaced. */
async function startSpeaking(stage: ChaosStage): Promise<Ready> {
  const { senders, judge } = stage;
  for (let problem = ""; ; problem = "the session of the fault before did not speak any more") {
    const session = await stage.liveSession();
    const { id } = session;
    try {
      const reportsBefore = (await senders.call("finished", { id })).length;
      await judge.call("begin", { id });
      const sinceMs = sharedNowMs();
      for (const seconds of SEGMENTS_S) await senders.call("sendAhead", { id, seconds, fromS: 0 });
      const heardAtMs = await judge.call("firstSoundAtMs", { id, sinceMs, timeoutMs: SOUND_TIMEOUT_MS });
      return { session, reportsBefore, heardAtMs, problem };
    } catch (error) {
      if (problem !== "") throw error;
      await stage.closeSession();
    }
  }
}

/** Lets the fault strike while the first of three segments plays, and waits for face and reports. */
async function strike(ready: Ready, { stage, fault }: RunFaultOptions): Promise<Outcome> {
  const { session, reportsBefore, heardAtMs } = ready;
  const { id } = session;
  await delay(SPOKEN_MS * (1 + Math.random()));
  const struckAtMs = sharedNowMs();
  await fault.inject(stage);
  // Finding the processes has taken a while.
  const heardMs = sharedNowMs() - heardAtMs;
  const backAtMs = await backAfter(stage, session, struckAtMs);
  const reports = async () => (await stage.senders.call("finished", { id })).slice(reportsBefore);
  const deadline = performance.now() + REPORTS_TIMEOUT_MS;
  while ((await reports()).length < SEGMENTS_S.length && performance.now() < deadline) await delay(POLL_MS);
  await delay(DUPLICATES_MS);
  const all = await reports();
  const { isRight, problem } = checkReports(all, SEGMENTS_S);
  return {
    backMs: backAtMs === null ? null : Math.round(backAtMs - struckAtMs),
    areReportsRight: isRight,
    ...(all[0]?.interrupted && { positionBehindMs: Math.round(heardMs - all[0].positionS * 1000) }),
    problem: [ready.problem, backAtMs === null ? "not back" : "", problem].filter(Boolean).join(", "),
  };
}

/** When the avatar's next video track shows its first frame; null if it does not within a minute. */
async function backAfter(stage: ChaosStage, session: OpenedSession, sinceMs: number): Promise<number | null> {
  const deadline = performance.now() + BACK_TIMEOUT_MS;
  while (performance.now() < deadline) {
    // While the LiveKit server is away, no one can join.
    await stage.keepListening(session).catch(() => {});
    const backAtMs = await stage.judge.call("backAtMs", { id: session.id, sinceMs }).catch(() => null);
    if (backAtMs !== null) return backAtMs;
    await delay(POLL_MS);
  }
  return null;
}

/** Speaks in real time while the fault comes and goes; nothing of it may be seen or heard. */
async function speakThrough({ id }: OpenedSession, { stage, fault, speechFile }: RunFaultOptions): Promise<Outcome> {
  const { senders, judge } = stage;
  const before = (await senders.call("finished", { id })).length;
  await judge.call("begin", { id });
  const speaking = senders.call("speak", { id, seconds: THROUGH_S, fromS: 0 });
  await delay(BEFORE_MS);
  const [sentAtMs] = await Promise.all([speaking, fault.inject(stage)]);
  await senders.call("waitUntilFinished", { id, count: before + 1, timeoutMs: PLAYED_TIMEOUT_MS }).catch(() => {});
  await delay(DUPLICATES_MS);
  const reports = (await senders.call("finished", { id })).slice(before);
  const metrics = await judge.call("judge", { id, sentAtMs, speechFile, fromS: 0 });
  const { isRight, problem } = checkReports(reports, [THROUGH_S]);
  const isWhole = isRight && !reports[0].interrupted;
  return {
    backMs: 0,
    areReportsRight: isWhole,
    problem: isRight && !isWhole ? "interrupted" : problem,
    longestFrameGapMs: metrics.longest_frame_gap_ms,
    audioHoles: metrics.audio_holes,
  };
}

/** Each text once, with how often it came if more than once. */
function mostFrequent(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([text, count]) => (count > 1 ? `${text} (${count} times)` : text));
}
