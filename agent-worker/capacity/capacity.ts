// How many sessions this worker can run now: what one costs on this machine, calibrated at the start and corrected by
// the sessions that run, against the CPU time that the machine has left.
import { FRAME_RATES, type FrameRate } from "../../room/playout/frame-ladder.ts";
import type { MachineLoad } from "./machine-load.ts";

/** CPU time of a session process per frame, in runs of the lip-sync network on one hop. Measured with sessions of
 *  512 × 512 px in H.264, with audio, transport and JavaScript. */
const SESSION_COST_HOPS = 20;
/** What a session costs the machine, by what it costs its process: the LiveKit server and the api work for it, too. */
const MACHINE_SHARE = 1.3;
const FRAME_MS = 40;
/** Until a process has measured this machine. */
const UNKNOWN_COST_CORES = 0.25;
/** Of the machine, kept for peaks: launches, requests, garbage collection. */
const RESERVE_SHARE = 0.1;
/** The latest reports count; a session reports every ten seconds. */
const KEPT_REPORTS = 16;
/** A running session may cost less than calibrated, because it is silent: never less than this share of it. */
const LEAST_SHARE = 0.5;
/** After a session had a lowered frame rate for the time between two reports, no session is added for this time. A
 *  burst of another program lowers it for less. */
const OVERLOAD_MS = 15_000;
/** CPU time that a realtime session takes, in cores: its speech detection, and its share of recognition and voice. */
const REALTIME_CORES = 0.15;
/** Memory that a session needs. */
const SESSION_BYTES = 150 * 1024 * 1024;

export interface CapacityOptions {
  /** Most sessions that the operator allows. */
  maxSessions: number;
  /** False: `maxSessions` alone counts. */
  isMeasured: boolean;
  /** Frame rate of sessions for which the machine is fast enough: `half` if the operator allows no more. Default
   *  `full`. */
  highestRate?: FrameRate;
  machine: Pick<MachineLoad, "cores" | "freeCores" | "freeMemoryBytes">;
}

export class Capacity {
  readonly #options: CapacityOptions;
  #calibratedCores = UNKNOWN_COST_CORES;
  /** CPU time of sessions, in cores: the latest reports. */
  readonly #reported: number[] = [];
  #overloadedUntilMs = 0;

  constructor(options: CapacityOptions) {
    this.#options = options;
  }

  /** A process has measured the CPU time of the lip-sync network on one hop, ms. */
  calibrate(hopMs: number): void {
    this.#calibratedCores = (hopMs * SESSION_COST_HOPS) / FRAME_MS;
  }

  /** CPU time that a session takes in its process, in cores. */
  noteCost(sessionCores: number): void {
    this.#reported.push(sessionCores);
    if (this.#reported.length > KEPT_REPORTS) this.#reported.shift();
  }

  /** A session reports its frame rate. `rateBefore`: that of its report before. Default: the same. */
  noteFrameRate(frameRate: FrameRate, rateBefore = frameRate): void {
    const { highestRate = "full" } = this.#options;
    const isLowered = (rate: FrameRate) => FRAME_RATES.indexOf(rate) > FRAME_RATES.indexOf(highestRate);
    if (isLowered(frameRate) && isLowered(rateBefore)) this.#overloadedUntilMs = performance.now() + OVERLOAD_MS;
  }

  /** CPU time that another session takes on this machine, in cores. */
  get sessionCores(): number {
    const sum = this.#reported.reduce((total, cores) => total + cores, 0);
    const measured = this.#reported.length > 0 ? sum / this.#reported.length : this.#calibratedCores;
    return MACHINE_SHARE * Math.max(measured, LEAST_SHARE * this.#calibratedCores);
  }

  /** Most sessions now, those held included. `unmeasured`: how many of them began in the last seconds, so that their
   *  work is not measured yet, less those that ended so recently that their work still is. A worker without sessions
   *  always takes one. */
  most(held: number, unmeasured: number): number {
    const { maxSessions, isMeasured } = this.#options;
    if (!isMeasured) return maxSessions;
    return Math.min(maxSessions, Math.max(1, held + this.#freeSlots(unmeasured)));
  }

  /** Most realtime sessions now, those held included, with a slot left for an avatar session. The first one is always
   *  taken. */
  mostRealtime(held: number, maxSessions: number): number {
    const { machine, isMeasured } = this.#options;
    if (!isMeasured) return maxSessions;
    const freeCores = machine.freeCores() - RESERVE_SHARE * machine.cores - this.sessionCores;
    const hasMemory = machine.freeMemoryBytes() >= SESSION_BYTES;
    const isOverloaded = performance.now() < this.#overloadedUntilMs;
    const freeSlots = isOverloaded || !hasMemory ? 0 : Math.max(0, Math.floor(freeCores / REALTIME_CORES));
    return Math.min(maxSessions, Math.max(1, held + freeSlots));
  }

  /** Sessions that can be added; `unmeasured` as above. Memory that is freed is measured at once. */
  #freeSlots(unmeasured: number): number {
    const { machine } = this.#options;
    if (performance.now() < this.#overloadedUntilMs) return 0;
    const freeCores = machine.freeCores() - RESERVE_SHARE * machine.cores;
    const byCores = Math.floor(freeCores / this.sessionCores) - unmeasured;
    const byMemory = Math.floor(machine.freeMemoryBytes() / SESSION_BYTES) - Math.max(0, unmeasured);
    return Math.max(0, Math.min(byCores, byMemory));
  }
}
