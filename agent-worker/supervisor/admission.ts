// Which sessions a worker takes, and what it tells of its slots. Sessions that it streams take slots of its processor,
// and of its GPU if that renders them. Light sessions, which began with viewers that render, have slots of their own;
// while one streams, it takes a slot like any other.
import type { Logger } from "../../program/log.ts";
import type { DispatchMetadata } from "../../shared/runtime-api.ts";
import type { Capacity, LightLoad } from "../capacity/capacity.ts";
import { SessionSlots } from "../capacity/session-slots.ts";
import { workerLoad } from "../capacity/worker-load.ts";
import type { GpuJobs } from "../service/gpu-jobs.ts";
import type { JobListener } from "../service/job-source.ts";
import { type LightJob, LightJobs } from "./light-jobs.ts";

/** The work of a session is visible in the load of the machine after this time. */
const STARTING_MS = 8_000;
/** The load of the machine still contains the work of a session that ended less than this ago. */
const GONE_MS = 5_500;

/** Why a session gets no slot. */
export interface FullSlots {
  full: "sessions" | "gpu" | "light sessions";
  taken: number;
  most: number;
}

export interface AdmissionOptions {
  capacity: Capacity;
  /** Whether the machine decides, and not `maxSessions` alone. */
  isMeasured: boolean;
  /** Null without a GPU. */
  gpu(): GpuJobs | null;
  /** When the job of a session was accepted, ms of `performance.now`. */
  acceptedAtMs(jobId: string): number | undefined;
  /** Ends the vacant session of a job: another needs its slot. */
  endVacant(jobId: string): void;
  /** The number of sessions, or that of slots, has changed. */
  onChange(): void;
  logger: Logger;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #capacity: Capacity;
  /** Of sessions that stream. */
  readonly #slots = new SessionSlots();
  readonly #light = new LightJobs();
  /** When sessions left with work that was visible in the load of the machine. */
  #goneAtMs: number[] = [];
  #isDraining = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#capacity = options.capacity;
  }

  /** Sessions that began as streams and take a slot, including those without a ready process. */
  get sessionCount(): number {
    return this.#slots.taken - this.#switchedCount;
  }

  /** Most of these that can take a slot of this worker now, those that do included. */
  get capacity(): number {
    return Math.max(this.sessionCount, this.#mostStreamed - this.#switchedCount);
  }

  /** Sessions that began with viewers that render. Some of them may stream now. */
  get lightCount(): number {
    return this.#light.slots.taken + this.#switchedCount;
  }

  /** Most of these that this worker can run now, the present ones included. */
  get lightCapacity(): number {
    return Math.max(this.lightCount, this.#mostLight + this.#switchedCount);
  }

  /** Most sessions that this worker can render on its GPU now, those that take a slot of it included: each needs the
   *  processor, too. Null without a GPU. */
  get gpuCapacity(): number | null {
    if (!this.#gpu) return null;
    const { taken, present } = this.#gpu.slots;
    // The slots of vacant sessions on the card are among those present.
    const processorSlots = Math.max(0, this.#mostStreamed - this.#slots.taken - (present - taken));
    if (this.#isDraining) return taken;
    if (!this.#options.isMeasured) return present + processorSlots;
    return present + Math.min(processorSlots, this.#gpu.freeSlots(this.#isStarting));
  }

  /** For the source of jobs of any kind. */
  get load(): ReturnType<JobListener["load"]> {
    return this.#loadOf(this.#slots, this.#mostStreamed);
  }

  /** For the source of jobs that need a GPU. */
  get gpuLoad(): ReturnType<JobListener["load"]> {
    return this.#loadOf(this.#gpu?.slots ?? this.#slots, this.gpuCapacity ?? 0);
  }

  /** No session is taken from now on. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Takes a slot for the session of a job, from here on, so that jobs that are offered together cannot exceed the
   *  limit; vacant sessions end for it. Returns what is full, or null. */
  take(jobId: string, metadata: DispatchMetadata): (FullSlots & { isDraining: boolean }) | null {
    const full = metadata.viewers_render ? this.#takeLight(jobId, metadata) : this.#takeSlot(jobId, metadata);
    if (full === null && metadata.viewers_render) this.#light.add(jobId, metadata.avatar_session_id);
    return full && { isDraining: this.#isDraining, ...full };
  }

  /** A session that viewers render asks to stream, or has stopped. Returns whether it may. One is decided after the
   *  other, so that those that ask together cannot exceed the limit. */
  admitVideo(sessionId: string, isNeeded: boolean): boolean {
    const job = this.#light.find(sessionId);
    if (!job) return true; // It began as a stream.
    const isStreaming = job.streamsSinceMs !== undefined;
    if (isNeeded && !isStreaming) return this.#startStream(job, sessionId);
    if (!isNeeded && isStreaming) this.#stopStream(job);
    return isNeeded;
  }

  /** The room of a session has become vacant, or no longer is. */
  setVacant(jobId: string, isVacant: boolean): void {
    this.#slots.setVacant(jobId, isVacant);
    this.#gpu?.slots.setVacant(jobId, isVacant);
    this.#light.slots.setVacant(jobId, isVacant);
    this.#options.onChange();
  }

  /** The avatar has left its room: its slot is free. Idempotent. */
  release(jobId: string): void {
    this.#gpu?.slots.release(jobId);
    const wasLight = this.#light.slots.release(jobId);
    const sinceMs = this.#light.streamsSinceMs(jobId) ?? this.#options.acceptedAtMs(jobId) ?? 0;
    if (this.#slots.release(jobId)) this.#noteGone(sinceMs);
    else if (!wasLight) return;
    this.#options.onChange();
  }

  /** The session has ended. */
  forget(jobId: string, sessionId: string): void {
    this.release(jobId);
    this.#light.delete(sessionId);
  }

  get #gpu(): GpuJobs | null {
    return this.#options.gpu();
  }

  readonly #isStarting = (jobId: string): boolean =>
    (this.#light.streamsSinceMs(jobId) ?? this.#options.acceptedAtMs(jobId) ?? 0) > performance.now() - STARTING_MS;

  /** Sessions that began with viewers that render, and take a slot because they stream now. */
  get #switchedCount(): number {
    return this.#light.streaming.filter(({ jobId }) => this.#slots.has(jobId) && !this.#slots.isVacant(jobId)).length;
  }

  get #unmeasured(): number {
    const goneSinceMs = performance.now() - GONE_MS;
    this.#goneAtMs = this.#goneAtMs.filter((atMs) => atMs > goneSinceMs);
    return this.#slots.count(this.#isStarting) - this.#goneAtMs.length;
  }

  get #lightLoad(): LightLoad {
    const { slots } = this.#light;
    return { held: slots.present, starting: slots.count(this.#isStarting) };
  }

  /** Most sessions that can stream now, those that take a slot for it included. */
  get #mostStreamed(): number {
    const { taken, present } = this.#slots;
    if (this.#isDraining) return taken;
    const most = this.#capacity.most(present, this.#unmeasured, this.#lightLoad);
    return this.#options.isMeasured ? Math.min(most, this.#gpu?.limitOf(present, this.#isStarting) ?? most) : most;
  }

  /** Most sessions that do not stream, those held included. */
  get #mostLight(): number {
    if (this.#isDraining) return this.#light.slots.taken;
    return this.#capacity.mostLight(this.#lightLoad, this.#slots.present, this.#unmeasured);
  }

  /** For a source of the sessions with these slots, of which the worker could run `most` now. */
  #loadOf(slots: SessionSlots, most: number): ReturnType<JobListener["load"]> {
    const { taken: held, present } = slots;
    const { slots: light } = this.#light;
    const limit = this.#capacity.limit(light.present) - (this.#slots.taken - held);
    const isOfAll = slots === this.#slots;
    const takesLight = isOfAll && light.taken < this.#mostLight;
    const load = this.#isDraining ? 1 : workerLoad({ held, vacant: present - held, most, limit, takesLight });
    return { load, jobCount: isOfAll ? held + light.taken : held };
  }

  /** Takes a slot for a session that streams, if there is one; vacant sessions end for it. Returns what is full. */
  #takeSlot(id: string, metadata: Pick<DispatchMetadata, "is_running" | "provider">): FullSlots | null {
    // A session that ran before has its listeners already: it runs worse rather than not at all.
    const most = metadata.is_running ? this.#capacity.limit(this.#light.slots.present) : this.#mostStreamed;
    const { taken } = this.#slots;
    if (this.#isDraining || taken >= most) return { full: "sessions", taken, most };
    const gpu = this.#gpu?.renders(metadata) ? this.#gpu.slots : null;
    const gpuMost = metadata.is_running ? Number.POSITIVE_INFINITY : (this.gpuCapacity ?? 0);
    const vacantOnGpu = gpu?.take(id, gpuMost) ?? [];
    if (gpu && !gpu.has(id)) return { full: "gpu", taken: gpu.taken, most: gpuMost };
    for (const vacant of vacantOnGpu) this.#slots.release(vacant);
    for (const jobId of [...vacantOnGpu, ...(this.#slots.take(id, most) ?? [])]) this.#end(jobId);
    return null;
  }

  /** The same for a session that viewers render. */
  #takeLight(id: string, metadata: Pick<DispatchMetadata, "is_running">): FullSlots | null {
    const most = metadata.is_running ? this.#capacity.lightLimit(this.#slots.present) : this.#mostLight;
    const { slots } = this.#light;
    const vacant = this.#isDraining ? null : slots.take(id, most);
    if (vacant === null) return { full: "light sessions", taken: slots.taken, most };
    for (const jobId of vacant) this.#end(jobId);
    return null;
  }

  /** A light session gives its slot for one of those that stream. Returns false, and it keeps its own, if all are
   *  taken. */
  #startStream(job: LightJob, avatarSessionId: string): boolean {
    const { jobId } = job;
    // What it takes as a light session is free for its stream.
    const isVacant = this.#light.slots.isVacant(jobId);
    this.#light.slots.release(jobId);
    const full = this.#takeSlot(jobId, {});
    this.#options.logger.info({ avatarSessionId, isAdmitted: full === null, ...full }, "session wants to stream");
    if (full === null) {
      job.streamsSinceMs = performance.now();
      this.#slots.setVacant(jobId, isVacant);
    } else this.#light.take(jobId, isVacant);
    this.#options.onChange();
    return full === null;
  }

  #stopStream(job: LightJob): void {
    const { jobId, streamsSinceMs = 0 } = job;
    const isVacant = this.#slots.isVacant(jobId);
    job.streamsSinceMs = undefined;
    this.#gpu?.slots.release(jobId);
    if (!this.#slots.release(jobId)) return;
    this.#light.take(jobId, isVacant);
    this.#noteGone(streamsSinceMs);
    this.#options.onChange();
  }

  #end(jobId: string): void {
    this.#gpu?.slots.release(jobId);
    this.#options.endVacant(jobId);
  }

  /** `sinceMs`: since when it had its slot. */
  #noteGone(sinceMs: number): void {
    const nowMs = performance.now();
    if (nowMs - sinceMs > GONE_MS) this.#goneAtMs.push(nowMs);
  }
}
