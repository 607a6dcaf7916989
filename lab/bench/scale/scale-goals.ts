// What a row must reach, and the largest number of sessions that does.
import type { ScaleRow } from "./scale-metrics.ts";

export const GOALS = Object.freeze({
  fps: 25,
  fpsTolerance: 0.3,
  lateFramesPercent: 1,
  latencyP95Ms: 200,
  skewMs: 45,
  timesEncodeOnly: 1.6,
  aheadP95Ms: 120,
  warmStartP95Ms: 1000,
  coldStartP95Ms: 3000,
  idleMemoryMb: 450,
  memoryPerSessionMb: 90,
});

/** Names of the goals that a row misses. What a viewer receives comes first. */
export function missedGoals({ refused, failed, judged, audience, ...row }: Omit<ScaleRow, "missed">): string[] {
  if (refused) return ["admission"];
  if (failed || !judged) return ["frames"];
  const missed: string[] = [];
  const rates = [judged.fps, audience?.worst_fps ?? judged.fps];
  const late = Math.max(judged.late_frames_percent, audience?.worst_late_frames_percent ?? 0);
  if (rates.some((fps) => Math.abs(fps - GOALS.fps) > GOALS.fpsTolerance + 1e-9)) missed.push("fps");
  if (late >= GOALS.lateFramesPercent) missed.push("late");
  if (judged.audio_holes > 0) missed.push("holes");
  if (!judged.audio_ms || judged.audio_ms.p95 >= GOALS.latencyP95Ms) missed.push("audio");
  if (!judged.mouth_ms || judged.mouth_ms.p95 >= GOALS.latencyP95Ms) missed.push("mouth");
  if (judged.skew_ms === null || Math.abs(judged.skew_ms) > GOALS.skewMs) missed.push("A/V");
  if (row.times_encode_only !== undefined && row.times_encode_only > GOALS.timesEncodeOnly) missed.push("CPU");
  return missed;
}

/** Goals about what viewers receive; a row that misses only others is still within bounds. */
const VIEWERS_GOALS = ["admission", "frames", "fps", "late", "holes", "audio", "mouth", "A/V"];

/** Whether viewers received what they should. */
export function isWithinBounds({ missed }: Pick<ScaleRow, "missed">): boolean {
  return !missed.some((goal) => VIEWERS_GOALS.includes(goal));
}

/** The largest number of sessions with all smaller rows within bounds too; 0 if the smallest row is not. */
export function largestWithinBounds(rows: readonly ScaleRow[]): number {
  let largest = 0;
  for (const row of [...rows].sort((a, b) => a.sessions - b.sessions)) {
    if (!isWithinBounds(row)) break;
    largest = row.sessions;
  }
  return largest;
}
