// How many sessions this worker can run now: what one costs on this machine, calibrated at the start and corrected by
// the sessions that run, against the CPU time that the machine has left.
import { FRAME_RATES, type FrameRate } from "../../room/playout/frame-ladder.ts";
import type { MachineLoad } from "./machine-load.ts";
import { ReportedCost } from "./reported-cost.ts";

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
/** A running session may cost less than calibrated, because it is silent: never less than this share of it. */
const LEAST_SHARE = 0.5;
/** After a session had a lowered frame rate for the time between two reports, no session is added for this time. A
 *  burst of another program lowers it for less. */
const OVERLOAD_MS = 15_000;
/** CPU time that a realtime session takes, in cores: its speech detection, and its share of recognition and voice. */
const REALTIME_CORES = 0.15;
/** Memory that a session needs. */
const SESSION_BYTES = 150 * 1024 * 1024;
/** CPU time and memory of a light session, one that its viewers render: audio, motion and transport. It takes 0.04
 *  cores while it is silent and 0.08 while it speaks; this much until some have reported, and never less than that. */
const LIGHT_CORES = 0.06;
const LEAST_LIGHT_CORES = 0.04;
const LIGHT_BYTES = 60 * 1024 * 1024;
/** Light sessions that take as much of `maxSessions` as one that is streamed. */
const LIGHT_PER_SLOT = 6;

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

/** The light sessions of a worker. */
export interface LightLoad {
  held: number;
  /** Of these, how many began in the last seconds. */
  starting: number;
}

const NO_LIGHT: LightLoad = { held: 0, starting: 0 };
/** A whole number of slots stays one when CPU time is taken off and added. */
const ROUNDING = 1e-9;

export class Capacity {
  readonly #options: CapacityOptions;
  #calibratedCores = UNKNOWN_COST_CORES;
  readonly #streamedCost = new ReportedCost();
  readonly #lightCost = new ReportedCost();
  #overloadedUntilMs = 0;

  constructor(options: CapacityOptions) {
    this.#options = options;
  }

  /** A process has measured the CPU time of the lip-sync network on one hop, ms. */
  calibrate(hopMs: number): void {
    this.#calibratedCores = (hopMs * SESSION_COST_HOPS) / FRAME_MS;
  }

  /** CPU time that a session takes in its process, in cores. `isLight`: its viewers rendered meanwhile. */
  noteCost(sessionCores: number, isLight = false): void {
    (isLight ? this.#lightCost : this.#streamedCost).note(sessionCores);
  }

  /** A session reports its frame rate. `rateBefore`: that of its report before. Default: the same. */
  noteFrameRate(frameRate: FrameRate, rateBefore = frameRate): void {
    const { highestRate = "full" } = this.#options;
    const isLowered = (rate: FrameRate) => FRAME_RATES.indexOf(rate) > FRAME_RATES.indexOf(highestRate);
    if (isLowered(frameRate) && isLowered(rateBefore)) this.#overloadedUntilMs = performance.now() + OVERLOAD_MS;
  }

  /** CPU time that another session takes on this machine, in cores. */
  get sessionCores(): number {
    const expected = this.#calibratedCores;
    return MACHINE_SHARE * this.#streamedCost.cores({ expected, least: LEAST_SHARE * expected });
  }

  /** The same of another light session. */
  get lightCores(): number {
    return MACHINE_SHARE * this.#lightCost.cores({ expected: LIGHT_CORES, least: LEAST_LIGHT_CORES });
  }

  /** Most streamed sessions that the operator allows beside `light` ones. */
  limit(light: number): number {
    return Math.max(0, this.#options.maxSessions - Math.ceil(light / LIGHT_PER_SLOT));
  }

  /** Most light sessions that the operator allows beside `streamed` ones. */
  lightLimit(streamed: number): number {
    return Math.max(0, this.#options.maxSessions - streamed) * LIGHT_PER_SLOT;
  }

  /** Most streamed sessions now, those held included. `unmeasured`: how many of them began in the last seconds, so that
   *  their work is not measured yet, less those that ended so recently that their work still is. A worker without
   *  sessions always takes one. */
  most(held: number, unmeasured: number, light: LightLoad = NO_LIGHT): number {
    const limit = this.limit(light.held);
    if (!this.#options.isMeasured) return limit;
    const least = light.held > 0 ? 0 : 1;
    return Math.min(limit, Math.max(least, held + this.#freeSlots(unmeasured, light.starting)));
  }

  /** Most light sessions now, those held included, beside `streamed` ones. `unmeasured`: of the streamed, as above. A
   *  worker without sessions always takes one. */
  mostLight(light: LightLoad, streamed: number, unmeasured: number): number {
    const { isMeasured, machine } = this.#options;
    const limit = this.lightLimit(streamed);
    if (!isMeasured) return limit;
    const cores = this.#freeCores(unmeasured, light.starting) / this.lightCores;
    const freeBytes = machine.freeMemoryBytes() - Math.max(0, unmeasured) * SESSION_BYTES;
    const free = Math.max(0, Math.floor(Math.min(cores, freeBytes / LIGHT_BYTES - light.starting)));
    const least = streamed > 0 ? 0 : 1;
    return Math.min(limit, Math.max(least, light.held + (this.#isOverloaded ? 0 : free)));
  }

  /** Most realtime sessions now, those held included, with a slot left for an avatar session. The first one is always
   *  taken. */
  mostRealtime(held: number, maxSessions: number): number {
    const { machine, isMeasured } = this.#options;
    if (!isMeasured) return maxSessions;
    const freeCores = machine.freeCores() - RESERVE_SHARE * machine.cores - this.sessionCores;
    const hasMemory = machine.freeMemoryBytes() >= SESSION_BYTES;
    const freeSlots = this.#isOverloaded || !hasMemory ? 0 : Math.max(0, Math.floor(freeCores / REALTIME_CORES));
    return Math.min(maxSessions, Math.max(1, held + freeSlots));
  }

  /** Sessions that can be added; `unmeasured` as above. Memory that is freed is measured at once. */
  #freeSlots(unmeasured: number, startingLight: number): number {
    if (this.#isOverloaded) return 0;
    const byCores = Math.floor(this.#freeCores(unmeasured, startingLight) / this.sessionCores + ROUNDING);
    const freeBytes = this.#options.machine.freeMemoryBytes() - startingLight * LIGHT_BYTES;
    const byMemory = Math.floor(freeBytes / SESSION_BYTES) - Math.max(0, unmeasured);
    return Math.max(0, Math.min(byCores, byMemory));
  }

  /** What is left of the machine for sessions, less what those take that have just begun, in cores. */
  #freeCores(unmeasured: number, startingLight: number): number {
    const { machine } = this.#options;
    const startingCores = unmeasured * this.sessionCores + startingLight * this.lightCores;
    return machine.freeCores() - RESERVE_SHARE * machine.cores - startingCores;
  }

  get #isOverloaded(): boolean {
    return performance.now() < this.#overloadedUntilMs;
  }
}
