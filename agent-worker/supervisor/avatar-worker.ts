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
import { Capacity } from "../capacity/capacity.ts";
import { MachineLoad } from "../capacity/machine-load.ts";
import { GpuJobs, type WorkerGpu } from "../service/gpu-jobs.ts";
import type { AssignedJob, JobListener, JobSource, OfferedJob } from "../service/job-source.ts";
import type { WorkerSessionEvent } from "../session/session-event.ts";
import { ConversationServices } from "../tasks/conversation-services.ts";
import type { LlmSource } from "../tasks/llm-source.ts";
import type { WorkerVoices } from "../tasks/open-voice.ts";
import type { TaskHandlers } from "../tasks/worker-tasks.ts";
import { Admission } from "./admission.ts";
import { AvatarFiles } from "./avatar-files.ts";
import { LastSession } from "./last-session.ts";
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

/** Samples by which sessions are admitted. A burst of less than 4 s, wherever it begins, falls into nine of these at
 *  most, which the median of twenty leaves out. */
const LOAD_SPAN_MS = 10_000;
const LOAD_INTERVALS = 20;
/** What is left of the machine, in cores, when another process may be made ready. */
const PROCESS_CORES = 0.3;
const PROCESS_BYTES = 256 * 1024 * 1024;

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
    admitVideo: async ({ isNeeded }, sessionId) => this.admission.admitVideo(sessionId, isNeeded),
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
  /** Which sessions it takes, how many it has, and how many it can run. */
  readonly admission: Admission;
  readonly #lastSession = new LastSession();

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
    this.admission = new Admission({
      capacity: this.#capacity,
      isMeasured,
      gpu: () => this.#gpu,
      acceptedAtMs: (jobId) => this.#sessions.get(jobId)?.acceptedAtMs,
      endVacant: (jobId) => void this.#sessions.get(jobId)?.end("last_user_left"),
      onChange: () => this.#noteChange(),
      logger: options.logger,
    });
    this.#conversations = new ConversationServices({ llm: options.llm, logger: options.logger });
    this.#pool = new ProcessPool({
      environment: options.environment,
      hasCapacity: () => load.freeCores() >= PROCESS_CORES && machine.freeMemoryBytes() >= PROCESS_BYTES,
      tasks: this.#tasks,
      warmUp: (engine) => this.#warmUp(engine),
      nextAvatar: () => this.#avatars.latest,
      onMeasured: (hopMs) => this.#capacity.calibrate(hopMs),
      onUsage: ({ cpuCores, isLight }) => this.#capacity.noteCost(cpuCores, isLight),
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
    this.#jobs = options.openJobs(
      listener(
        () => this.#jobs,
        () => this.admission.load,
      ),
    );
    this.#gpu = options.gpu
      ? new GpuJobs(
          options.gpu,
          listener(
            () => this.#gpu?.source ?? undefined,
            () => this.admission.gpuLoad,
          ),
        )
      : null;
  }

  /** Whether jobs can come now. */
  get isReady(): boolean {
    return this.#jobs.isReady;
  }

  /** CPU time that another session takes on this machine, in cores. */
  get sessionCores(): number {
    return this.#capacity.sessionCores;
  }

  /** The same of a session that viewers render. */
  get lightSessionCores(): number {
    return this.#capacity.lightCores;
  }

  /** Cores that the worker may use, and how many of them were free in the last seconds. */
  get machine(): { cores: number; freeCores: number } {
    return { cores: this.#machine.cores, freeCores: this.#machine.usualFreeCores() };
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
    this.admission.drain();
    this.#reportLoad();
    if (this.#sessions.size === 0) return;
    await this.#lastSession.wait(limitMs);
  }

  /** Hands the running sessions over to other workers, and ends all processes. */
  async close(): Promise<void> {
    this.admission.drain();
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
    const full = this.admission.take(id, metadata);
    if (full !== null) {
      logger.info({ avatarSessionId, ...full }, "job rejected: worker full");
      return false;
    }
    return this.#open(id, metadata, source).accept();
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
        } else if (event.type === "vacancy") this.admission.setVacant(jobId, event.isVacant);
        else if (event.type === "left") this.admission.release(jobId);
        // The next process asks again.
        else if (event.type === "crash") this.admission.admitVideo(metadata.avatar_session_id, false);
        this.#options.onEvent(event);
      },
      onEnded: (reason) => {
        this.admission.forget(jobId, metadata.avatar_session_id);
        this.#sessions.delete(jobId);
        source?.reportEnd(jobId, reason);
        this.#noteChange();
        if (this.#sessions.size === 0) this.#lastSession.hasEnded();
      },
    });
    this.#sessions.set(jobId, session);
    this.#noteChange();
    return session;
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
