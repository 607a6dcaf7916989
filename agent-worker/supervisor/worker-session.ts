// One avatar session on this worker. It outlives the process that runs it: when that process dies, the next one takes
// over at once, with what the dead one last reported.
//
//   accepted  the job was accepted, and is not assigned yet               → running, ended (withdrawn)
//   running   a process runs the session, or the next one takes over      → ended
//   ended     the session ended, or its processes died too often          (final)
import type { Logger } from "../../program/log.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import type { Tracer } from "../../program/telemetry/tracer.ts";
import type { Milestone } from "../../room/playout/playout-event.ts";
import type { DispatchMetadata, EndReason, JobDescription } from "../../shared/runtime-api.ts";
import type { LlmSettings } from "../../src/conversation/llm/request-chat.ts";
import { applyChange, type CheckpointChange } from "../conversation/reports/checkpoint-change.ts";
import type { ConversationCheckpoint } from "../conversation/reports/conversation-checkpoint.ts";
import { AcceptanceReports } from "../service/acceptance-reports.ts";
import { HeartbeatBridge } from "../service/heartbeat-bridge.ts";
import { RuntimeApiClient } from "../session/runtime-api-client.ts";
import type { SessionCheckpoint, SessionEventBody, WorkerSessionEvent } from "../session/session-event.ts";
import type { SessionTask } from "../session/session-messages.ts";
import type { AvatarFiles } from "./avatar-files.ts";
import type { ProcessSlot } from "./process-slot.ts";
import type { Sharing } from "./session-process.ts";
import { SessionTrace } from "./session-trace.ts";

/** A session that loses its process more often than this is given up: the cause is probably the session itself. */
const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 60_000;

export interface WorkerSessionOptions {
  /** Id of the job at its source. */
  jobId: string;
  metadata: DispatchMetadata;
  /** Hosts of LiveKit servers that it may join whatever their address. */
  allowedHosts: readonly string[];
  /** Files of avatars that were shown before. */
  avatars: AvatarFiles;
  /** Loads what a conversation needs and finds its language model; called when the session holds one, before its
   *  process runs it. */
  prepareConversation(): Promise<LlmSettings | null>;
  /** A slot of a process for the session, ready or not. */
  takeSlot(sharing: Sharing): ProcessSlot;
  tracer: Tracer;
  /** Something happened in the session. After `left`, only its end follows. */
  onEvent(event: WorkerSessionEvent): void;
  /** Called once, with the reason. */
  onEnded(reason: EndReason): void;
  logger: Logger;
}

type WorkerSessionState = "accepted" | "running" | "ended";

const MOVES = defineMoves<WorkerSessionState>({
  accepted: ["running", "ended"],
  running: ["ended"],
  ended: [],
});

/** What the worker fetches for a process. */
type JobInput = Pick<SessionTask, "job" | "imx"> & { conversation: { llm: LlmSettings | null } | null };

export class WorkerSession {
  readonly #options: WorkerSessionOptions;
  readonly #logger: Logger;
  /** With the newest runtime token. */
  readonly #api: RuntimeApiClient;
  readonly #acceptance: AcceptanceReports;
  readonly #trace: SessionTrace;
  readonly #crashesMs: number[] = [];
  /** When the job was accepted, ms of `performance.now`. */
  readonly acceptedAtMs = performance.now();
  readonly #state = new StateMachine(MOVES, "accepted");
  #job: JobDescription | null = null;
  /** For the next process; null once a process has it. */
  #input: Promise<JobInput | null> | null = null;
  #controlRoom: SessionTask["controlRoom"] = null;
  #checkpoint: SessionCheckpoint | null = null;
  #conversation: ConversationCheckpoint | undefined;
  #slot: ProcessSlot | null = null;
  /** Open while a live session has no process that plays. */
  #bridge: HeartbeatBridge | null = null;
  /** Set when the session must end: a process that dies then has no successor. */
  #ending: EndReason | null = null;
  /** Why the avatar has left its room; null while it has not. */
  #leftFor: EndReason | null = null;

  constructor(options: WorkerSessionOptions) {
    this.#options = options;
    this.#logger = options.logger.child({ avatarSessionId: options.metadata.avatar_session_id });
    this.#api = new RuntimeApiClient(options.metadata);
    this.#acceptance = new AcceptanceReports({ api: this.#api, logger: this.#logger });
    this.#trace = new SessionTrace(options.tracer, options.metadata);
  }

  /** Process id of the process that runs it; undefined before the assignment. */
  get pid(): number | undefined {
    return this.#slot?.pid;
  }

  /** Reports the acceptance, and fetches the job and its avatar meanwhile. Resolves with false if the api has cancelled
   *  the job; the session has ended then. */
  async accept(): Promise<boolean> {
    this.#input = this.#fetchInput();
    const isValid = await this.#acceptance.start();
    if (!isValid) this.withdraw();
    return isValid;
  }

  /** The job was assigned: a process begins to run it. */
  run(controlRoom: SessionTask["controlRoom"]): void {
    if (!this.#state.is("accepted")) return;
    this.#state.enter("running");
    this.#controlRoom = controlRoom;
    void this.#startProcess();
  }

  /** The job was not assigned. */
  withdraw(): void {
    if (this.#state.is("accepted")) this.#leave("no_capacity");
  }

  /** LiveKit has ended the job. It also does so when the participant of a dead process leaves the control room; the
   *  session goes on then, because the next process joins that room by itself. */
  terminated(): void {
    if (this.#crashesMs.length === 0) void this.end("worker_draining");
  }

  /** Ends the session for this reason; resolves when its process has nothing of it any more. */
  async end(reason: EndReason): Promise<void> {
    this.#ending ??= reason;
    this.withdraw();
    await this.#slot?.end(reason);
    // A process that had no task yet does not tell that it has released the session.
    this.#leave(this.#ending);
  }

  async #startProcess(): Promise<void> {
    const { metadata, allowedHosts, takeSlot } = this.#options;
    const slot = takeSlot(this.#sharing);
    const { wasReady } = slot;
    this.#slot = slot;
    this.#trace.assigned(wasReady);
    this.#logger.info({ runBy: slot.pid, isSuccessor: this.#crashesMs.length > 0 }, "session given to a process");
    const input = await (this.#input ?? this.#fetchInput());
    this.#input = null;
    if (this.#ending !== null) return;
    // Most likely the session was ended before it began. Otherwise the api dispatches it again.
    if (input === null) return this.end("ended_by_api");
    const { jobId } = this.#options;
    const conversation = input.conversation && { ...input.conversation, jobId, checkpoint: this.#conversation };
    const task = {
      ...input,
      conversation,
      metadata: { ...metadata, runtime_token: this.#api.token },
      controlRoom: this.#controlRoom,
      allowedHosts,
      checkpoint: this.#checkpoint,
    };
    slot.run(task, {
      onEvent: (event) => this.#take(event, wasReady),
      onReleased: (reason) => {
        if (reason !== null) this.#leave(reason);
        else if (this.#leftFor !== null) void this.#reportEnd(this.#leftFor);
        else if (this.#ending !== null) this.#leave(this.#ending);
        else this.#recover();
      },
    });
  }

  /** A session that loses its process a second time may be the cause: from then on it has a process of its own. */
  get #sharing(): Sharing {
    const crashes = this.#countCrashes();
    if (!this.#options.metadata.viewers_render || crashes > 1) return "alone";
    return crashes === 1 ? "recovered" : "light";
  }

  #countCrashes(): number {
    const nowMs = performance.now();
    return this.#crashesMs.filter((atMs) => nowMs - atMs < CRASH_WINDOW_MS).length;
  }

  /** An event of its process. */
  #take(event: WorkerSessionEvent, wasReady: boolean): void {
    if (event.type === "checkpoint") this.#keep(event.checkpoint, wasReady);
    else if (event.type === "conversation") this.#noteConversation(event.change);
    else if (event.type === "turn") this.#trace.answered(event.times);
    else if (event.type === "milestone") this.#reached(event.milestone, event.atMs);
    else if (event.type === "left") this.#leftFor = event.reason;
    this.#options.onEvent(event);
  }

  #keep(checkpoint: SessionCheckpoint, wasReady: boolean): void {
    const isFirstTime = checkpoint.isLive && !this.#checkpoint?.isLive;
    if (isFirstTime) this.#tell({ type: "live", startMs: performance.now() - this.acceptedAtMs, wasReady });
    this.#checkpoint = checkpoint;
    this.#api.renew(checkpoint.runtimeToken);
    this.#bridge?.close();
    if (checkpoint.isLive) this.#acceptance.close();
  }

  #noteConversation(change: CheckpointChange): void {
    const before = this.#conversation?.droppedMessages ?? 0;
    this.#conversation = applyChange(this.#conversation, change);
    const count = this.#conversation.droppedMessages - before;
    if (count > 0) this.#tell({ type: "messages-dropped", count });
  }

  #reached(milestone: Milestone, atMs: number): void {
    this.#trace.reached(milestone, atMs);
    if (milestone !== "first-frame" || this.#crashesMs.length > 0) return;
    this.#tell({ type: "first-frame", startMs: Math.max(0, atMs - performance.timeOrigin - this.acceptedAtMs) });
  }

  #tell(event: SessionEventBody): void {
    this.#options.onEvent({ ...event, sessionId: this.#options.metadata.avatar_session_id });
  }

  /** Null if the job cannot be fetched. A successor needs the same job. */
  async #fetchInput(): Promise<JobInput | null> {
    try {
      this.#job ??= await this.#api.fetchJob();
      const job = this.#job;
      this.#trace.described(job);
      const preparing = job.conversation ? this.#options.prepareConversation() : null;
      const imx = await this.#fetchAvatar(job);
      const input = { job, imx, conversation: preparing && { llm: await preparing } };
      this.#trace.fetched();
      return input;
    } catch (error) {
      this.#logger.error({ err: error }, "job not fetched");
      return null;
    }
  }

  /** Null if the process must fetch it: it tells the room if the file is missing. */
  async #fetchAvatar({ imx_url: url, imx_sha256: sha256 }: JobDescription): Promise<Uint8Array | null> {
    if (url === null || !sha256) return null;
    try {
      return await this.#options.avatars.get(sha256, () => this.#api.download(url));
    } catch (error) {
      this.#logger.warn({ err: error }, "avatar not fetched ahead");
      return null;
    }
  }

  #recover(): void {
    this.#crashesMs.push(performance.now());
    const crashes = this.#countCrashes();
    this.#tell({ type: "crash" });
    // The next process looks who is in the room, and who needs video.
    this.#tell({ type: "vacancy", isVacant: false });
    this.#tell({ type: "video", isRendered: false });
    this.#logger.error({ crashes }, "session process died");
    if (crashes > MAX_CRASHES) {
      void this.#reportEnd("worker_lost");
      return;
    }
    this.#bridgeHeartbeats();
    void this.#startProcess();
  }

  /** A session that is not live yet is kept alive by its acceptance reports. */
  #bridgeHeartbeats(): void {
    this.#bridge?.close();
    const checkpoint = this.#checkpoint;
    if (!checkpoint?.isLive || !this.#job) return;
    const intervalMs = this.#job.beat_interval_s * 1000;
    this.#bridge = new HeartbeatBridge({ api: this.#api, intervalMs, checkpoint, logger: this.#logger });
    this.#bridge.start();
  }

  /** Tells the api in place of a process that died. */
  async #reportEnd(reason: EndReason): Promise<void> {
    const checkpoint = this.#checkpoint;
    this.#leave(reason);
    try {
      await this.#api.reportEvent({
        event: "ended",
        reason,
        served_seconds: checkpoint?.servedSeconds ?? 0,
        viewer_rendered_seconds: checkpoint?.viewerSeconds,
        open_segments: checkpoint?.openSegments ?? [],
      });
    } catch (error) {
      // The api notices by itself when heartbeats stop.
      this.#logger.warn({ err: error }, "end of a session not reported");
    }
  }

  #leave(reason: EndReason): void {
    if (this.#state.is("ended")) return;
    this.#state.enter("ended");
    this.#acceptance.close();
    this.#bridge?.close();
    this.#trace.ended(reason);
    this.#options.onEnded(reason);
  }
}
