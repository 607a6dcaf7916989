// Timeouts of avatar sessions: how long a launch waits, and when a silent worker counts as lost.
import {
  HEARTBEAT_INTERVAL_S,
  SELF_HOSTED_GRACE_S,
  SELF_HOSTED_HEARTBEAT_INTERVAL_S,
} from "../record/avatar-session.ts";

/** How long a launch waits for a worker. */
export interface AcceptancePolicy {
  /** A launch that no worker accepts within this is refused, in ms. */
  timeoutMs: number;
  /** One that LiveKit has given to no worker within this is dispatched again, in ms. Default: never. */
  retryMs?: number;
}

/** How launches wait for a free slot of a worker. */
export interface WaitingPolicy {
  /** How long a launch waits, in ms. */
  timeoutMs: number;
  /** Launches of one account that wait in one api process, each with an image of at most 10 MB. Others are refused at
   *  once. */
  perAccount: number;
}

/** When a silent avatar session is dispatched again, or ended. */
export interface WatchdogPolicy {
  /** From the end of one check to the start of the next, in ms. */
  intervalMs: number;
  /** A session with an earlier worker is dispatched again if no worker accepts it within this, ms, and one is
   *  present, because LiveKit drops a dispatch that finds none; and at once if a worker has registered since. */
  untakenTimeoutMs: number;
  /** A starting session without a sign of life for this long is lost, unless its worker is in the control room: its
   *  dispatch went to a process that was dead, or that died. Each `accepted` event is a sign of life, and a worker
   *  repeats it every 4 s while the session waits or starts, so that slow starts are not lost. In ms. */
  arrivalTimeoutMs: number;
  /** A worker that is in the control room is lost without a sign of life for this long, in ms. */
  startingTimeoutMs: number;
  /** Silence after which the worker of a live session is lost, in ms. */
  liveTimeoutMs: number;
  /** Silence after which a self-hosted session ends, in ms. */
  selfHostedTimeoutMs: number;
  /** How long heartbeats must have been possible before their absence counts, in ms. */
  graceMs: number;
}

/** What self-hosted runtimes are told. */
export interface SelfHostedPolicy {
  /** Seconds between heartbeats. */
  heartbeatIntervalS: number;
  /** Seconds that a runtime goes on without an answer. */
  graceS: number;
}

export interface SessionPolicies {
  selfHosted: SelfHostedPolicy;
  waiting: WaitingPolicy;
  acceptance: AcceptancePolicy;
  watchdog: WatchdogPolicy;
}

/** Three heartbeats missed in a row. A worker replaces a dead session process by itself within this; it passes when the
 *  whole worker is gone. LiveKit itself shows a killed process as present for longer (20 s measured). */
const LIVE_TIMEOUT_MS = 3 * HEARTBEAT_INTERVAL_S * 1000;

export const SESSION_POLICIES: SessionPolicies = Object.freeze({
  selfHosted: Object.freeze({ heartbeatIntervalS: SELF_HOSTED_HEARTBEAT_INTERVAL_S, graceS: SELF_HOSTED_GRACE_S }),
  waiting: Object.freeze({ timeoutMs: 3_000, perAccount: 8 }),
  // A worker with free capacity accepts a dispatch in 0.1 s (measured); on a busy machine in one or two seconds.
  acceptance: Object.freeze({ timeoutMs: 5_000, retryMs: 1_500 }),
  watchdog: Object.freeze({
    intervalMs: 1_000,
    untakenTimeoutMs: 5_000,
    arrivalTimeoutMs: 12_000,
    // A busy machine needs several seconds to start a worker.
    startingTimeoutMs: 30_000,
    liveTimeoutMs: LIVE_TIMEOUT_MS,
    selfHostedTimeoutMs: SELF_HOSTED_GRACE_S * 1000,
    graceMs: LIVE_TIMEOUT_MS,
  }),
});
