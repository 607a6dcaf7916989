// The calls of a relay: reports all of them to the api every two seconds, ends those that the api stops or that last
// too long, and repeats the last report of an ended call until the api has taken it. Calls go on while the api is away.
//
//   new       nothing is reported regularly yet               → open (`start`), draining
//   open      calls are taken, reports go out                 → draining
//   draining  no more calls are taken, those that run go on   → closed, with its last reports
//   closed    all calls have ended                            (final)
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../program/log.ts";
import { defineMoves, StateMachine } from "../program/state-machine.ts";
import { RELAY_REPORT_MS, type RelayReport, type RelayReportAnswer } from "../shared/realtime-api.ts";
import type { CallEnd, OwnEnd } from "./call-end.ts";
import type { RelayCall } from "./relay-call.ts";

/** One hour. Source: the contract. */
const MAX_CALL_SECONDS = 3_600;
const CHECK_MS = 500;
/** Calls in one report. */
const MAX_REPORTED = 10_000;
/** Bytes that all calls may keep in memory together. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;
/** Attempts of the last report, and the pause between two, in ms. */
const LAST_REPORTS = 3;
const LAST_REPORT_PAUSE_MS = 300;

type RegistryState = "new" | "open" | "draining" | "closed";

const MOVES = defineMoves<RegistryState>({
  new: ["open", "draining"],
  open: ["draining"],
  draining: ["closed"],
  closed: [],
});

export interface CallRegistryOptions {
  api: { report(report: RelayReport): Promise<RelayReportAnswer> };
  logger: Logger;
  /** Default 2,000. */
  reportMs?: number;
  /** Default 256 MiB. */
  maxHeldBytes?: number;
}

export class CallRegistry {
  /** Chosen at the start of the process. */
  readonly relayId = randomUUID();
  readonly #options: CallRegistryOptions;
  readonly #running = new Map<string, RelayCall>();
  /** Seconds of calls that have ended, until the api has taken them. */
  readonly #ended = new Map<string, number>();
  readonly #state = new StateMachine(MOVES, "new");
  #reporting: Promise<void> | null = null;
  /** The last report was not taken, which is logged once. */
  #hasFailed = false;
  #reportTimer: NodeJS.Timeout | undefined;
  #checkTimer: NodeJS.Timeout | undefined;

  constructor(options: CallRegistryOptions) {
    this.#options = options;
  }

  /** Calls that run now. */
  get size(): number {
    return this.#running.size;
  }

  /** True once no more calls are taken. */
  get isDraining(): boolean {
    return this.#state.is("draining", "closed");
  }

  /** Reports now and then regularly. */
  start(): void {
    this.#state.enter("open");
    this.#checkTimer = setInterval(() => this.#checkLimits(), CHECK_MS);
    this.#reportSoon();
  }

  /** A call that begins now. */
  add(call: RelayCall): void {
    this.#running.set(call.id, call);
  }

  /** A call has ended: reports it at once. */
  remove(call: RelayCall): void {
    this.#running.delete(call.id);
    this.forget(call.id, call.seconds);
  }

  /** A call that was opened has ended, or never began. */
  forget(callId: string, seconds = 0): void {
    this.#ended.set(callId, Math.min(seconds, MAX_CALL_SECONDS));
    this.#reportSoon();
  }

  /** Tells the api that no more calls are taken. Idempotent. */
  drain(): void {
    if (!this.isDraining) this.#state.enter("draining");
    this.#reportSoon();
  }

  /** Ends all calls and reports them, with a few attempts. Idempotent. */
  async close(): Promise<void> {
    if (this.#state.is("closed")) return;
    if (!this.isDraining) this.#state.enter("draining");
    for (const call of [...this.#running.values()]) call.end("draining");
    this.#state.enter("closed");
    clearInterval(this.#checkTimer);
    clearTimeout(this.#reportTimer);
    await this.#reporting;
    for (let attempt = 1; attempt <= LAST_REPORTS; attempt++) {
      if (await this.#report()) return;
      await delay(LAST_REPORT_PAUSE_MS);
    }
    // The api settles these calls at what it was last told.
    this.#options.logger.error({ calls: this.#ended.size }, "last report of ended calls failed");
  }

  /** Ends a call of this relay. */
  end(callId: string, reason: OwnEnd | CallEnd): void {
    this.#running.get(callId)?.end(reason);
  }

  #checkLimits(): void {
    for (const call of this.#running.values()) {
      call.checkLimit();
      if (call.seconds >= MAX_CALL_SECONDS) call.end("duration_limit");
    }
    this.#checkMemory();
  }

  /** Ends the calls that keep most, until the others are below the bound: a process without memory would end all. */
  #checkMemory(): void {
    const { maxHeldBytes = MAX_HELD_BYTES, logger } = this.#options;
    const calls = [...this.#running.values()].map((call) => ({ call, bytes: call.heldBytes }));
    let heldBytes = calls.reduce((sum, { bytes }) => sum + bytes, 0);
    if (heldBytes <= maxHeldBytes) return;
    for (const { call, bytes } of calls.sort((first, second) => second.bytes - first.bytes)) {
      if (heldBytes <= maxHeldBytes) return;
      logger.warn({ callId: call.id, bytes, heldBytes }, "realtime call ended to free memory");
      call.end("no_memory");
      heldBytes -= bytes;
    }
  }

  /** One report at a time; what happens during one is in the next. */
  #reportSoon(): void {
    if (this.#reporting || this.#state.is("closed")) return;
    clearTimeout(this.#reportTimer);
    this.#reporting = this.#report().then((isTaken) => {
      this.#reporting = null;
      if (this.#state.is("closed")) return;
      // Calls that ended during the report are reported next, unless the api is away.
      const { reportMs = RELAY_REPORT_MS } = this.#options;
      const waitMs = isTaken && this.#ended.size > 0 ? Math.min(50, reportMs) : reportMs;
      this.#reportTimer = setTimeout(() => this.#reportSoon(), waitMs);
    });
  }

  /** Returns whether the api took the report. Never throws. */
  async #report(): Promise<boolean> {
    const { api, logger } = this.#options;
    const ended = [...this.#ended].slice(0, MAX_REPORTED);
    const list = (calls: [string, number][]) => calls.map(([call_id, seconds]) => ({ call_id, seconds }));
    try {
      const reported = [...this.#running.values()].slice(0, MAX_REPORTED);
      const { stop, limits } = await api.report({
        relay_id: this.relayId,
        running: list(reported.map((call) => [call.id, Math.min(call.seconds, MAX_CALL_SECONDS)])),
        ended: list(ended),
        is_draining: this.isDraining,
      });
      for (const [callId] of ended) this.#ended.delete(callId);
      for (const { call_id, reason } of stop) this.end(call_id, reason);
      // An api of the version before names no limits.
      const limited = limits && new Map(limits.map(({ call_id, seconds }) => [call_id, seconds]));
      if (limited) for (const call of reported) call.limit(limited.get(call.id) ?? Number.POSITIVE_INFINITY);
      if (this.#hasFailed) logger.info("reports to the api are taken again");
      this.#hasFailed = false;
      return true;
    } catch (error) {
      // Logged once, not every two seconds.
      if (!this.#hasFailed) logger.warn({ err: error }, "report to the api failed");
      this.#hasFailed = true;
      return false;
    }
  }
}
