// The avatar worker: takes jobs from its source, keeps processes ready, and runs each avatar session in a process of
// its own, or in one that sessions share that viewers render.
import type { Logger } from "../../program/log.ts";
import { NO_TRACER, type Tracer } from "../../program/telemetry/tracer.ts";
import type { FrameRate } from "../../room/playout/frame-ladder.ts";
import { type DispatchMetadata, dispatchMetadataSchema, type WorkerProvider } from "../../shared/runtime-api.ts";
import type { VoiceEngine } from "../../src/speech/voice/default-voice.ts";
import { EspeakSynthesizer } from "../../src/speech/voice/espeak-synthesizer.ts";
import type { FetchedTask } from "../../src/speech/voice/fetched/fetched-messages.ts";
import { FetchedSynthesizer } from "../../src/speech/voice/fetched/fetched-synthesizer.ts";
import type { PieceAudio, PieceTask } from "../../src/speech/voice/neural/neural-messages.ts";
import { NeuralSynthesizer } from "../../src/speech/voice/neural/neural-synthesizer.ts";
import { Capacity, type LightLoad } from "../capacity/capacity.ts";
import { MachineLoad } from "../capacity/machine-load.ts";
import { SessionSlots } from "../capacity/session-slots.ts";
import { workerLoad } from "../capacity/worker-load.ts";
import { GpuJobs, type WorkerGpu } from "../service/gpu-jobs.ts";
import type { AssignedJob, JobListener, JobSource, OfferedJob } from "../service/job-source.ts";
import type { WorkerSessionEvent } from "../session/session-event.ts";
import { ConversationServices } from "../tasks/conversation-services.ts";
import type { LlmSource } from "../tasks/llm-source.ts";
import type { WorkerVoices } from "../tasks/open-voice.ts";
import type { TaskHandlers } from "../tasks/worker-tasks.ts";
import { AvatarFiles } from "./avatar-files.ts";
import { LastSession } from "./last-session.ts";
import { type LightJob, LightJobs } from "./light-jobs.ts";
import { ProcessPool } from "./process-pool.ts";
import { WorkerSession } from "./worker-session.ts";

export interface AvatarWorkerOptions {
  /** Opens the source of its jobs; it is started with the worker. */
  openJobs(listener: JobListener): JobSource;
  /** Most sessions at a time. */
  maxSessions: number;
  /** Whether fewer sessions are taken if the machine cannot run more. */
  isMeasured: boolean;
  /** Highest frame rate of sessions, fps. Default 25. */
  maxFps?: 25 | 12.5;
  /** The worker's environment, for its session processes. */
  environment: NodeJS.ProcessEnv;
  /** `host` or `host:port` of LiveKit servers that sessions may join whatever their address, besides our own server.
   *  Default: none. */
  allowedHosts?: readonly string[];
  /** Which language model answers in conversations. */
  llm: Pick<LlmSource, "find" | "findAgain">;
  /** Execution providers that this machine has. */
  providers: readonly WorkerProvider[];
  /** The GPU of this machine. Default: none. */
  gpu?: WorkerGpu;
  /** Something happened in a session. */
  onEvent(event: WorkerSessionEvent): void;
  /** Default: starts of sessions are not traced. The caller closes it. */
  tracer?: Tracer;
  /** Called when the number of sessions or the registration has changed. */
  onChange(): void;
  logger: Logger;
}

/** The work of a session is visible in the load of the machine after this time. */
const STARTING_MS = 8_000;
/** The load of the machine still contains the work of a session that ended less than this ago. */
const GONE_MS = 5_500;
/** Samples by which sessions are admitted. A burst of less than 4 s, wherever it begins, falls into nine of these at
 *  most, which the median of twenty leaves out. */
const LOAD_SPAN_MS = 10_000;
const LOAD_INTERVALS = 20;
/** What is left of the machine, in cores, when another process may be made ready. */
const PROCESS_CORES = 0.3;
const PROCESS_BYTES = 256 * 1024 * 1024;

/** Why a session gets no slot. */
interface FullSlots {
  full: "sessions" | "gpu" | "light sessions";
  taken: number;
  most: number;
}

/** What of the worker a realtime session uses. */
export interface RealtimeShare {
  services: Pick<ConversationServices, "warmUp" | "transcribe" | "predictTurnEnd">;
  voices: WorkerVoices;
  /** Most realtime sessions now, those held included. */
  most(held: number, maxSessions: number): number;
}

/** Takes jobs from `start()` until `drain()` or `close()`. */
export class AvatarWorker {
  readonly #options: AvatarWorkerOptions;
  readonly #machine = new MachineLoad(LOAD_SPAN_MS, LOAD_INTERVALS);
  readonly #capacity: Capacity;
  readonly #pool: ProcessPool;
  readonly #avatars = new AvatarFiles();
  /** What it does for its sessions. */
  readonly #tasks: TaskHandlers = {
    speak: (task, owner) => this.#synthesizer.speak(task, owner),
    makePiece: (task, owner) => this.#makePiece(task, owner),
    findLanguageModel: () => this.#conversations.findLanguageModel(),
    predictTurnEnd: (task, owner, signal) => this.#conversations.predictTurnEnd(task, owner, signal),
    transcribe: (task, owner, signal) => this.#conversations.transcribe(task, owner, signal),
    admitVideo: async ({ isNeeded }, sessionId) => this.admitVideo(sessionId, isNeeded),
  };
  /** One for all sessions: it takes 50 MB. */
  readonly #synthesizer = new EspeakSynthesizer();
  /** One for all sessions: it takes 350 MB from its first sentence until ten minutes after its last one. */
  readonly #neural = new NeuralSynthesizer();
  /** One for all sessions: it takes 270 MB while voices that the operator has fetched speak. */
  readonly #fetched = new FetchedSynthesizer();
  readonly #conversations: ConversationServices;
  readonly #jobs: JobSource;
  readonly #gpu: GpuJobs | null;
  /** By job id, until their processes have ended. */
  readonly #sessions = new Map<string, WorkerSession>();
  /** Of sessions that stream. */
  readonly #slots = new SessionSlots();
  readonly #light = new LightJobs();
  /** When sessions left with work that was visible in the load of the machine. */
  #goneAtMs: number[] = [];
  readonly #lastSession = new LastSession();
  #isDraining = false;

  constructor(options: AvatarWorkerOptions) {
    this.#options = options;
    const machine = this.#machine;
    const { maxSessions, isMeasured, maxFps } = options;
    const highestRate = maxFps === 12.5 ? "half" : "full";
    const load = {
      cores: machine.cores,
      freeCores: () => machine.usualFreeCores(),
      freeMemoryBytes: () => machine.freeMemoryBytes(),
    };
    this.#capacity = new Capacity({ maxSessions, isMeasured, highestRate, machine: load });
    this.#conversations = new ConversationServices({ llm: options.llm, logger: options.logger });
    this.#pool = new ProcessPool({
      environment: options.environment,
      hasCapacity: () => load.freeCores() >= PROCESS_CORES && machine.freeMemoryBytes() >= PROCESS_BYTES,
      tasks: this.#tasks,
      warmUp: (engine) => this.#warmUp(engine),
      nextAvatar: () => this.#avatars.latest,
      onMeasured: (hopMs) => this.#capacity.calibrate(hopMs),
      onUsage: ({ cpuCores, isLight }) => {
        if (!isLight) this.#capacity.noteCost(cpuCores);
      },
      logger: options.logger,
    });
    const listener = (source: () => JobSource | undefined, load: JobListener["load"]): JobListener => ({
      load,
      onReady: options.onChange,
      onOffer: (job) => this.#answer(job, source()),
      onAssigned: (job) => this.#run(job),
      onWithdrawn: (jobId) => this.#sessions.get(jobId)?.withdraw(),
      onTerminated: (jobId) => this.#sessions.get(jobId)?.terminated(),
      onCancelled: (jobId, reason) => void this.#sessions.get(jobId)?.end(reason),
    });
    const loadOfAll = () => this.#load(this.#slots, this.#mostStreamed);
    const loadOfGpu = () => this.#load(this.#gpu?.slots ?? this.#slots, this.gpuCapacity ?? 0);
    this.#jobs = options.openJobs(listener(() => this.#jobs, loadOfAll));
    this.#gpu = options.gpu
      ? new GpuJobs(
          options.gpu,
          listener(() => this.#gpu?.source ?? undefined, loadOfGpu),
        )
      : null;
  }

  /** Whether jobs can come now. */
  get isReady(): boolean {
    return this.#jobs.isReady;
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
    if (!this.#isMeasured) return present + processorSlots;
    return present + Math.min(processorSlots, this.#gpu.freeSlots(this.#isStarting));
  }

  /** CPU time that another session takes on this machine, in cores. */
  get sessionCores(): number {
    return this.#capacity.sessionCores;
  }

  /** What realtime sessions share with avatar sessions. */
  get realtimeShare(): RealtimeShare {
    return {
      services: this.#conversations,
      voices: { ...this.#tasks, warmUp: (engine) => this.#warmUp(engine) },
      most: (held, maxSessions) => this.#capacity.mostRealtime(held, maxSessions),
    };
  }

  /** Processes that are ready for a session. */
  get readyProcessCount(): number {
    return this.#pool.readyCount;
  }

  /** Connects, and makes the first process ready. Once. */
  start(): void {
    this.#machine.start();
    this.#pool.start();
    this.#jobs.start();
    this.#gpu?.source?.start();
  }

  /** Takes no more sessions. Resolves when the running ones have ended, or after `limitMs`. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    this.#reportLoad();
    if (this.#sessions.size === 0) return;
    await this.#lastSession.wait(limitMs);
  }

  /** Hands the running sessions over to other workers, and ends all processes. */
  async close(): Promise<void> {
    this.#isDraining = true;
    this.#reportLoad();
    const sessions = [...this.#sessions.values()];
    await Promise.all([this.#pool.close(), ...sessions.map((session) => session.end("worker_draining"))]);
    await Promise.all([
      this.#jobs.close(),
      this.#gpu?.source?.close(),
      this.#synthesizer.close(),
      this.#neural.close(),
      this.#fetched.close(),
      this.#conversations.close(),
    ]);
    this.#machine.close();
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

  get #isMeasured(): boolean {
    return this.#options.isMeasured;
  }

  readonly #isStarting = (jobId: string): boolean =>
    (this.#light.streamsSinceMs(jobId) ?? this.#sessions.get(jobId)?.acceptedAtMs ?? 0) >
    performance.now() - STARTING_MS;

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
    return this.#isMeasured ? Math.min(most, this.#gpu?.limitOf(present, this.#isStarting) ?? most) : most;
  }

  /** Most sessions that do not stream, those held included. */
  get #mostLight(): number {
    if (this.#isDraining) return this.#light.slots.taken;
    return this.#capacity.mostLight(this.#lightLoad, this.#slots.present, this.#unmeasured);
  }

  /** For a source of the sessions with these slots, of which the worker could run `most` now. */
  #load(slots: SessionSlots, most: number): ReturnType<JobListener["load"]> {
    const { taken: held, present } = slots;
    const { slots: light } = this.#light;
    const limit = this.#capacity.limit(light.present) - (this.#slots.taken - held);
    const isOfAll = slots === this.#slots;
    const takesLight = isOfAll && light.taken < this.#mostLight;
    const load = this.#isDraining ? 1 : workerLoad({ held, vacant: present - held, most, limit, takesLight });
    return { load, jobCount: isOfAll ? held + light.taken : held };
  }

  /** Accepts or rejects an offered job. */
  async #answer({ id, metadata: text }: OfferedJob, source: JobSource | undefined): Promise<boolean> {
    const { providers, logger } = this.#options;
    const metadata = readMetadata(text);
    if (!metadata) {
      logger.warn("job without usable metadata rejected");
      return false;
    }
    const avatarSessionId = metadata.avatar_session_id;
    if (metadata.provider !== undefined && !providers.includes(metadata.provider)) {
      logger.info({ avatarSessionId, provider: metadata.provider }, "job rejected: provider not available");
      return false;
    }
    // Counted from here on, so that offers that arrive together cannot exceed the limit.
    const full = metadata.viewers_render ? this.#takeLight(id, metadata) : this.#takeSlot(id, metadata);
    if (full !== null) {
      logger.info({ avatarSessionId, isDraining: this.#isDraining, ...full }, "job rejected: worker full");
      return false;
    }
    if (metadata.viewers_render) this.#light.add(id, avatarSessionId);
    return this.#open(id, metadata, source).accept();
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
    if (full === null) job.streamsSinceMs = performance.now();
    else this.#light.take(jobId, isVacant);
    this.#noteChange();
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
    this.#noteChange();
  }

  /** A job needs the slot of a vacant session. */
  #end(jobId: string): void {
    this.#gpu?.slots.release(jobId);
    void this.#sessions.get(jobId)?.end("last_user_left");
  }

  #open(jobId: string, metadata: DispatchMetadata, source: JobSource | undefined): WorkerSession {
    let frameRate: FrameRate = "full";
    const session: WorkerSession = new WorkerSession({
      jobId,
      metadata,
      allowedHosts: this.#options.allowedHosts ?? [],
      logger: this.#options.logger,
      avatars: this.#avatars,
      prepareConversation: () => this.#conversations.warmUp(true),
      takeSlot: (sharing) => this.#pool.take(sharing),
      tracer: this.#options.tracer ?? NO_TRACER,
      onEvent: (event) => {
        if (event.type === "playout") {
          this.#capacity.noteFrameRate(event.report.frameRate, frameRate);
          frameRate = event.report.frameRate;
        } else if (event.type === "vacancy") this.#setVacant(jobId, event.isVacant);
        else if (event.type === "left") this.#release(jobId, session);
        // The next process asks again.
        else if (event.type === "crash") this.admitVideo(metadata.avatar_session_id, false);
        this.#options.onEvent(event);
      },
      onEnded: (reason) => {
        this.#release(jobId, session);
        this.#sessions.delete(jobId);
        this.#light.delete(metadata.avatar_session_id);
        source?.reportEnd(jobId, reason);
        this.#noteChange();
        if (this.#sessions.size === 0) this.#lastSession.hasEnded();
      },
    });
    this.#sessions.set(jobId, session);
    this.#noteChange();
    return session;
  }

  #setVacant(jobId: string, isVacant: boolean): void {
    this.#slots.setVacant(jobId, isVacant);
    this.#gpu?.slots.setVacant(jobId, isVacant);
    this.#light.slots.setVacant(jobId, isVacant);
    this.#noteChange();
  }

  #release(jobId: string, { acceptedAtMs }: WorkerSession): void {
    this.#gpu?.slots.release(jobId);
    const wasLight = this.#light.slots.release(jobId);
    if (this.#slots.release(jobId)) this.#noteGone(this.#light.streamsSinceMs(jobId) ?? acceptedAtMs);
    else if (!wasLight) return;
    this.#noteChange();
  }

  /** `sinceMs`: since when it had its slot. */
  #noteGone(sinceMs: number): void {
    const nowMs = performance.now();
    if (nowMs - sinceMs > GONE_MS) this.#goneAtMs.push(nowMs);
  }

  #warmUp(engine: VoiceEngine): void {
    (engine === "neural" ? this.#neural : this.#synthesizer).warmUp();
  }

  async #makePiece(task: PieceTask | FetchedTask, owner: string): Promise<PieceAudio> {
    if ("folder" in task) return this.#fetched.speak(task, owner);
    const startedMs = performance.now();
    const piece = await this.#neural.speak(task, owner);
    this.#options.onEvent({ type: "voice-piece", ms: performance.now() - startedMs, sessionId: owner });
    return piece;
  }

  #run({ id, controlRoom }: AssignedJob): void {
    this.#sessions.get(id)?.run(controlRoom);
  }

  #noteChange(): void {
    this.#reportLoad();
    this.#options.onChange();
  }

  #reportLoad(): void {
    this.#jobs.reportLoad();
    this.#gpu?.source?.reportLoad();
  }
}

function readMetadata(text: string): DispatchMetadata | null {
  try {
    return dispatchMetadataSchema.parse(JSON.parse(text));
  } catch {
    return null; // Not one of our jobs; it is rejected.
  }
}
