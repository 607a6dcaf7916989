// What conversations must reach, and which of it was reached.
import type { ConversationMetrics } from "./conversation-metrics.ts";

const GOALS = Object.freeze({
  ownAnswerP50Ms: 600,
  ownAnswerP95Ms: 800,
  builtInAnswerP50Ms: 1_000,
  mouthSkewMs: 45,
  timesFramework: 0.75,
  cutP50Ms: 400,
  cutP95Ms: 550,
  resumedPercent: 90,
  echoCutP95Ms: 900,
  backAfterKillMs: 4_000,
  listeningCorePercent: 5,
  listeningMemoryMb: 40,
  lateFramesPercent: 1,
  togetherMb: 2_200,
  idleMemoryMb: 450,
});

export interface GoalRow {
  /** Its benchmark's part and what was measured. */
  what: string;
  /** Null if it could not be measured. */
  measured: number | null;
  unit: string;
  /** As it is printed, for example `≤ 600`. */
  goal: string;
  isMet: boolean;
}

/** A row for each goal of a measured part. */
export function goalRows({
  answers,
  provider,
  framework,
  cutting_in: cutting,
  turns,
  cost,
  echo,
}: ConversationMetrics): GoalRow[] {
  const rows: GoalRow[] = [];
  const most = (what: string, measured: number | null | undefined, limit: number, unit: string) =>
    rows.push({ what, measured: measured ?? null, unit, goal: `≤ ${limit}`, isMet: (measured ?? Infinity) <= limit });
  const least = (what: string, measured: number, limit: number, unit: string) =>
    rows.push({ what, measured, unit, goal: `≥ ${limit}`, isMet: measured >= limit });
  if (answers) {
    const { remote, built_in: builtIn } = answers;
    most("answer less the servers' time, p50", remote.own_ms?.p50, GOALS.ownAnswerP50Ms, "ms");
    most("answer less the servers' time, p95", remote.own_ms?.p95, GOALS.ownAnswerP95Ms, "ms");
    most("mouth beside the sound", absolute(remote.mouth_skew_ms), GOALS.mouthSkewMs, "ms");
    most("turns without an answer", remote.unanswered + builtIn.unanswered, 0, "");
    most("answer, all built in, instant model, p50", builtIn.answer_ms?.p50, GOALS.builtInAnswerP50Ms, "ms");
  }
  if (provider) {
    most("on the account's servers: answer less their time, p50", provider.own_ms?.p50, GOALS.ownAnswerP50Ms, "ms");
    most("on the account's servers: answer less their time, p95", provider.own_ms?.p95, GOALS.ownAnswerP95Ms, "ms");
    most("on the account's servers: turns without an answer", provider.unanswered, 0, "");
  }
  if (framework) most("answer beside the framework's", framework.times_framework, GOALS.timesFramework, "×");
  if (cutting) {
    most("cutting in, to silence, p50", cutting.words.silence_ms?.p50, GOALS.cutP50Ms, "ms");
    most("cutting in, to silence, p95", cutting.words.silence_ms?.p95, GOALS.cutP95Ms, "ms");
    most("cuts that were not noticed", cutting.words.missed, 0, "");
    least("resumed within 1 s of a cough, hum or knock", cutting.non_words.resumed_percent, GOALS.resumedPercent, "%");
    most("answers with lost words", cutting.non_words.answers_with_lost_words, 0, "");
  }
  if (turns) {
    most("messages missing, repeated or out of order", turns.differences, 0, "");
    most("messages with other words than were heard", turns.wrong_words, 0, "");
    most("back after the process was killed", turns.back_after_kill_ms, GOALS.backAfterKillMs, "ms");
  }
  if (cost) {
    most("idle service", cost.idle_mb, GOALS.idleMemoryMb, "MB");
    most("CPU of listening", cost.listening_core_percent, GOALS.listeningCorePercent, "% of a core");
    most("memory of a conversation", cost.conversation_mb, GOALS.listeningMemoryMb, "MB");
    const { late_frames_percent: late, together_mb: together } = cost.four;
    rows.push({
      what: "four at once: late frames",
      measured: late,
      unit: "%",
      goal: `< ${GOALS.lateFramesPercent}`,
      isMet: late < GOALS.lateFramesPercent,
    });
    most("four at once: everything together", together, GOALS.togetherMb, "MB");
  }
  if (echo) {
    most("answers to its own echo", echo.answered_itself, 0, "");
    most("cutting in beside the echo, p95", echo.cutting_in.silence_ms?.p95, GOALS.echoCutP95Ms, "ms");
  }
  return rows;
}

function absolute(value: number | null): number | null {
  return value === null ? null : Math.abs(value);
}
