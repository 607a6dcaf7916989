// One avatar session on this worker. It outlives the process that serves it: when that process dies, the next one takes
// over at once, with what the dead one last reported.
//
//   accepted  the job was accepted, and is not assigned yet               → serving, ended (withdrawn)
//   serving   a process serves the session, or the next one takes over    → ended
//   ended     the session ended, or its processes died too often          (final)
import type { Logger } from "../shared/log.ts";
import type { DispatchMetadata, EndReason, JobDescription } from "../shared/runtime-api.ts";
import type { ConversationFault, TurnTimes } from "../src/conversation/conversation-listener.ts";
import type { AvatarRenderer } from "../src/rendering/avatar.ts";
import type { Tracer } from "../src/telemetry/tracer.ts";
import type { AvatarFiles } from "./avatars/avatar-files.ts";
import { applyChange } from "./conversation/checkpoint-change.ts";
import type { ConversationCheckpoint } from "./conversation/conversation-checkpoint.ts";
import type { SharedParts } from "./conversation/conversation-task.ts";
import { AcceptanceReports } from "./dispatch/acceptance-reports.ts";
import { HeartbeatBridge } from "./dispatch/heartbeat-bridge.ts";
import type { PlayoutReport } from "./playout/playout-metrics.ts";
import type { SessionProcess } from "./processes/session-process.ts";
import { RuntimeApiClient } from "./session/runtime-api-client.ts";
import type { SessionCheckpoint, SessionTask } from "./session/session-messages.ts";
import { SessionTrace } from "./session-trace.ts";

/** A session whose processes die more often than this is given up: the cause is probably the session itself. */
const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 60_000;

export interface HostedSessionOptions {
  /** Id of the job at its source. */
  jobId: string;
  metadata: DispatchMetadata;
  /** Hosts of LiveKit servers that it may join whatever their address. */
  allowedHosts: readonly string[];
  /** Files of avatars that were shown before. */
  avatars: AvatarFiles;
  /** Gets what a conversation needs; called when the session holds one, before its process serves it. */
  prepareConversation(): Promise<SharedParts>;
  /** A process for the session, ready or not. */
  takeProcess(): SessionProcess;
  /** A process has opened the avatar. */
  onOpened(renderedBy: AvatarRenderer): void;
  onPlayout(report: PlayoutReport, cpuCores: number): void;
  /** The avatar is in its room for the first time, `startMs` after the job was accepted. `wasReady`: a process waited
   *  for the session. */
  onLive(startMs: number, wasReady: boolean): void;
  /** The first frame is shown, `startMs` after the job was accepted; only if its first process shows it. */
  onFirstFrame(startMs: number): void;
  tracer: Tracer;
  /** A turn of the conversation was answered. */
  onTurn(times: TurnTimes): void;
  /** A part of the conversation has failed. */
  onConversationFault(part: ConversationFault): void;
  /** Messages of the conversation are never reported: too many came. */
  onMessagesDropped(count: number): void;
  /** A process of the session died before the session had ended. */
  onCrash(): void;
  /** Its room becomes vacant (see `MediaRoom`), or no longer is. */
  onVacancy(isVacant: boolean): void;
  /** The avatar has left its room. At most once, before `onEnded`. */
  onLeft(): void;
  /** Called once, with the reason. */
  onEnded(reason: EndReason): void;
  logger: Logger;
}

type HostedState = "accepted" | "serving" | "ended";

/** What the worker fetches for a process. */
type JobInput = Pick<SessionTask, "job" | "imx"> & { conversation: SharedParts | null };

export class HostedSession {
  readonly #options: HostedSessionOptions;
  readonly #logger: Logger;
  /** With the newest runtime token. */
  readonly #api: RuntimeApiClient;
  readonly #acceptance: AcceptanceReports;
  readonly #trace: SessionTrace;
  readonly #crashesMs: number[] = [];
  /** When the job was accepted, ms of `performance.now`. */
  readonly acceptedAtMs = performance.now();
  #state: HostedState = "accepted";
  #job: JobDescription | null = null;
  /** For the next process; null once a process has it. */
  #input: Promise<JobInput | null> | null = null;
  #controlRoom: SessionTask["controlRoom"] = null;
  #checkpoint: SessionCheckpoint | null = null;
  #conversation: ConversationCheckpoint | undefined;
  #process: SessionProcess | null = null;
  /** Open while a live session has no process that plays. */
  #bridge: HeartbeatBridge | null = null;
  /** Set when the session must end: a process that dies then has no successor. */
  #ending: EndReason | null = null;
  /** Why the avatar has left its room; null while it has not. */
  #leftFor: EndReason | null = null;

  constructor(options: HostedSessionOptions) {
    this.#options = options;
    this.#logger = options.logger.child({ avatarSessionId: options.metadata.avatar_session_id });
    this.#api = new RuntimeApiClient(options.metadata);
    this.#acceptance = new AcceptanceReports({ api: this.#api, logger: this.#logger });
    this.#trace = new SessionTrace(options.tracer, options.metadata);
  }

  /** Process id of the process that serves it; undefined before the assignment. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Reports the acceptance, and fetches the job and its avatar meanwhile. Resolves with false if the api has cancelled
   *  the job; the session has ended then. */
  async accept(): Promise<boolean> {
    this.#input = this.#fetchInput();
    const isValid = await this.#acceptance.start();
    if (!isValid) this.withdraw();
    return isValid;
  }

  /** The job was assigned: a process begins to serve it. */
  serve(controlRoom: SessionTask["controlRoom"]): void {
    if (this.#state !== "accepted") return;
    this.#state = "serving";
    this.#controlRoom = controlRoom;
    void this.#startProcess();
  }

  /** The job was not assigned. */
  withdraw(): void {
    if (this.#state === "accepted") this.#leave("no_capacity");
  }

  /** LiveKit has ended the job. It also does so when the participant of a dead process leaves the control room; the
   *  session goes on then, because the next process joins that room by itself. */
  terminated(): void {
    if (this.#crashesMs.length === 0) void this.end("worker_draining");
  }

  /** Ends the session for this reason; resolves when its process is gone. */
  async end(reason: EndReason): Promise<void> {
    this.#ending ??= reason;
    this.withdraw();
    await this.#process?.end(reason);
    // A process that had no task yet does not tell that it is gone.
    this.#leave(this.#ending);
  }

  async #startProcess(): Promise<void> {
    const { metadata, allowedHosts, takeProcess, onOpened, onPlayout, onTurn } = this.#options;
    const { onConversationFault, onMessagesDropped } = this.#options;
    const process = takeProcess();
    const wasReady = process.state === "waiting";
    this.#process = process;
    this.#trace.assigned(wasReady);
    this.#logger.info({ servedBy: process.pid, isSuccessor: this.#crashesMs.length > 0 }, "session process serves");
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
    process.serve(task, {
      onOpened,
      onPlayout,
      onTurn: (times) => {
        this.#trace.answered(times);
        onTurn(times);
      },
      onConversationFault,
      onMilestone: (milestone, atMs) => {
        this.#trace.reached(milestone, atMs);
        if (milestone !== "first-frame" || this.#crashesMs.length > 0) return;
        this.#options.onFirstFrame(Math.max(0, atMs - performance.timeOrigin - this.acceptedAtMs));
      },
      onCheckpoint: (checkpoint) => {
        const isFirstTime = checkpoint.isLive && !this.#checkpoint?.isLive;
        if (isFirstTime) this.#options.onLive(performance.now() - this.acceptedAtMs, wasReady);
        this.#checkpoint = checkpoint;
        this.#api.renew(checkpoint.runtimeToken);
        this.#bridge?.close();
        if (checkpoint.isLive) this.#acceptance.close();
      },
      onConversation: (change) => {
        const before = this.#conversation?.droppedMessages ?? 0;
        this.#conversation = applyChange(this.#conversation, change);
        const dropped = this.#conversation.droppedMessages - before;
        if (dropped > 0) onMessagesDropped(dropped);
      },
      onVacancy: (isVacant) => this.#options.onVacancy(isVacant),
      onLeft: (reason) => {
        this.#leftFor = reason;
        this.#options.onLeft();
      },
      onGone: (reason) => {
        if (reason !== null) this.#leave(reason);
        else if (this.#leftFor !== null) void this.#reportEnd(this.#leftFor);
        else if (this.#ending !== null) this.#leave(this.#ending);
        else this.#recover();
      },
    });
  }

  /** Null if the job cannot be fetched. A successor needs the same job. */
  async #fetchInput(): Promise<JobInput | null> {
    try {
      this.#job ??= await this.#api.fetchJob();
      const job = this.#job;
      this.#trace.described(job);
      const conversation = job.conversation ? this.#options.prepareConversation() : null;
      const input = { job, imx: await this.#fetchAvatar(job), conversation: await conversation };
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
    const nowMs = performance.now();
    this.#crashesMs.push(nowMs);
    const crashes = this.#crashesMs.filter((atMs) => nowMs - atMs < CRASH_WINDOW_MS).length;
    this.#options.onCrash();
    // The next process looks who is in the room.
    this.#options.onVacancy(false);
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
        open_segments: checkpoint?.openSegments ?? [],
      });
    } catch (error) {
      // The api notices by itself when heartbeats stop.
      this.#logger.warn({ err: error }, "end of a session not reported");
    }
  }

  #leave(reason: EndReason): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#acceptance.close();
    this.#bridge?.close();
    this.#trace.ended(reason);
    this.#options.onEnded(reason);
  }
}
