// One avatar session on this worker. It outlives the process that serves it: when that process dies, the next one takes
// over at once, with what the dead one last reported.
//
//   accepted  the job was accepted, LiveKit has not assigned it yet       → serving, ended (withdrawn)
//   serving   a process serves the session, or the next one takes over    → ended
//   ended     the session ended, or its processes died too often          (final)
import type { Logger } from "../shared/log.ts";
import type { DispatchMetadata, EndReason } from "../shared/runtime-api.ts";
import { AcceptanceReports } from "./dispatch/acceptance-reports.ts";
import { HeartbeatBridge } from "./dispatch/heartbeat-bridge.ts";
import type { PlayoutReport } from "./playout/playout-metrics.ts";
import type { SessionProcess } from "./processes/session-process.ts";
import { RuntimeApiClient } from "./session/runtime-api-client.ts";
import type { SessionCheckpoint, SessionTask } from "./session/session-messages.ts";

/** A session whose processes die more often than this is given up: the cause is probably the session itself. */
const MAX_CRASHES = 3;
const CRASH_WINDOW_MS = 60_000;

export interface HostedSessionOptions {
  metadata: DispatchMetadata;
  /** A process for the session, ready or not. */
  takeProcess(): SessionProcess;
  onPlayout(report: PlayoutReport, cpuCores: number): void;
  /** A process of the session died before the session had ended. */
  onCrash(): void;
  /** Called once, with the reason. */
  onEnded(reason: EndReason): void;
  logger: Logger;
}

type HostedState = "accepted" | "serving" | "ended";

export class HostedSession {
  readonly #options: HostedSessionOptions;
  readonly #logger: Logger;
  readonly #acceptance: AcceptanceReports;
  readonly #crashesMs: number[] = [];
  /** When the job was accepted, ms of `performance.now`. */
  readonly acceptedAtMs = performance.now();
  #state: HostedState = "accepted";
  #controlRoom: SessionTask["controlRoom"] | null = null;
  #checkpoint: SessionCheckpoint | null = null;
  #process: SessionProcess | null = null;
  /** Open while a live session has no process that plays. */
  #bridge: HeartbeatBridge | null = null;
  /** Set when the session must end: a process that dies then has no successor. */
  #ending: EndReason | null = null;

  constructor(options: HostedSessionOptions) {
    this.#options = options;
    this.#logger = options.logger.child({ avatarSessionId: options.metadata.avatar_session_id });
    this.#acceptance = new AcceptanceReports({ api: new RuntimeApiClient(options.metadata), logger: this.#logger });
  }

  /** Process id of the process that serves it; undefined before the assignment. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Reports the acceptance. Resolves with false if the api has cancelled the job; the session has ended then. */
  async accept(): Promise<boolean> {
    const isValid = await this.#acceptance.start();
    if (!isValid) this.withdraw();
    return isValid;
  }

  /** LiveKit has assigned the job: a process begins to serve it. */
  serve(controlRoom: SessionTask["controlRoom"]): void {
    if (this.#state !== "accepted") return;
    this.#state = "serving";
    this.#controlRoom = controlRoom;
    this.#startProcess();
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
  }

  #startProcess(): void {
    const { metadata, takeProcess, onPlayout } = this.#options;
    const process = takeProcess();
    this.#process = process;
    this.#logger.info({ servedBy: process.pid, isSuccessor: this.#crashesMs.length > 0 }, "session process serves");
    const task = { metadata, controlRoom: this.#controlRoom!, checkpoint: this.#checkpoint };
    process.serve(task, {
      onPlayout,
      onCheckpoint: (checkpoint) => {
        this.#checkpoint = checkpoint;
        this.#bridge?.close();
        if (checkpoint.isLive) this.#acceptance.close();
      },
      onGone: (reason) => {
        if (reason !== null) this.#leave(reason);
        else if (this.#ending !== null) this.#leave(this.#ending);
        else this.#recover();
      },
    });
  }

  #recover(): void {
    const nowMs = performance.now();
    this.#crashesMs.push(nowMs);
    const crashes = this.#crashesMs.filter((atMs) => nowMs - atMs < CRASH_WINDOW_MS).length;
    this.#options.onCrash();
    this.#logger.error({ crashes }, "session process died");
    if (crashes > MAX_CRASHES) {
      void this.#giveUp();
      return;
    }
    this.#bridgeHeartbeats();
    this.#startProcess();
  }

  /** A session that is not live yet is kept alive by its acceptance reports. */
  #bridgeHeartbeats(): void {
    this.#bridge?.close();
    const { avatar_session_id: avatarSessionId, api_url: apiUrl } = this.#options.metadata;
    const checkpoint = this.#checkpoint;
    if (!checkpoint?.isLive) return;
    this.#bridge = new HeartbeatBridge({ avatarSessionId, apiUrl, checkpoint, logger: this.#logger });
  }

  /** Tells the api, which dispatches the session to another worker or ends it. */
  async #giveUp(): Promise<void> {
    const { metadata } = this.#options;
    const checkpoint = this.#checkpoint;
    this.#leave("worker_lost");
    const api = new RuntimeApiClient({ ...metadata, ...(checkpoint && { runtime_token: checkpoint.runtimeToken }) });
    try {
      await api.reportEvent({
        event: "ended",
        reason: "worker_lost",
        served_seconds: checkpoint?.servedSeconds ?? 0,
        open_segments: checkpoint?.openSegments ?? [],
      });
    } catch (error) {
      // The api notices by itself when heartbeats stop.
      this.#logger.warn({ err: error }, "lost session not reported");
    }
  }

  #leave(reason: EndReason): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#acceptance.close();
    this.#bridge?.close();
    this.#options.onEnded(reason);
  }
}
