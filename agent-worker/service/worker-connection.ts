// The worker's connection to the LiveKit server that dispatches jobs: registers, answers offers, receives assignments
// and reports the load. It reconnects until it is closed; running sessions do not depend on it.
//
//   connecting  the socket is not open yet, or not registered    → registered, waiting, closed
//   registered  LiveKit offers jobs                              → waiting (connection lost), closed
//   waiting     the next attempt follows after a backoff         → connecting, closed
//   closed      final
//
// Protocol: livekit_agent.proto, messages of `@livekit/protocol` over a WebSocket at `/agent`.
import { setTimeout as delay } from "node:timers/promises";
import {
  JobStatus,
  JobType,
  ParticipantPermission,
  ServerMessage,
  WorkerMessage,
  WorkerStatus,
} from "@livekit/protocol";
import { AccessToken } from "livekit-server-sdk";
import { WebSocket } from "undici";
import type { Logger } from "../../program/log.ts";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import type { EndReason } from "../../shared/runtime-api.ts";
import type { LiveKitKey } from "../../shared/worker-token.ts";
import type { JobListener, JobSource, OfferedJob } from "./job-source.ts";

/** Version that this worker reports for itself; LiveKit only displays it. */
const WORKER_VERSION = "1";
const TOKEN_TTL_S = 60;
/** The load is reported at this interval, and at once when it changes. */
const STATUS_INTERVAL_MS = 2_500;
const PING_INTERVAL_MS = 5_000;
/** LiveKit answers each ping. A connection without any message for this many pings is dead. */
const SILENT_PINGS = 3;
const CLOSE_MS = 1_000;
const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 2_000;
/** LiveKit assigns an accepted job within milliseconds, or gives it to another worker. */
const ASSIGNMENT_TIMEOUT_MS = 7_500;

/** A job that ended otherwise is a success in LiveKit's own records. */
const FAILURE: EndReason = "worker_lost";

export interface WorkerConnectionOptions {
  url: string;
  key: LiveKitKey;
  /** Name under which jobs are dispatched to this worker. */
  dispatchName: string;
  /** The participant as which a job joins its room. */
  participant: { identity: string; name: string };
  /** A rejected job is offered to another worker. LiveKit cancels no job: it terminates those without a room or a
   *  dispatch. */
  listener: Omit<JobListener, "onCancelled">;
  logger: Logger;
  /** Default 5 s. */
  pingIntervalMs?: number;
}

type WorkerMessageBody = NonNullable<ConstructorParameters<typeof WorkerMessage>[0]>["message"];
type ConnectionState = "connecting" | "registered" | "waiting" | "closed";

const MOVES = defineMoves<ConnectionState>({
  connecting: ["registered", "waiting", "closed"],
  registered: ["waiting", "closed"],
  waiting: ["connecting", "closed"],
  closed: [],
});

/** Connected from `start()` to `close()`. */
export class WorkerConnection implements JobSource {
  readonly #options: WorkerConnectionOptions;
  /** Accepted jobs that are not assigned yet. */
  readonly #pending = new Map<string, NodeJS.Timeout>();
  readonly #closing = new AbortController();
  readonly #state = new StateMachine(MOVES, "connecting");
  #socket: WebSocket | null = null;
  #lastMessageMs = 0;
  /** Ends the wait for the current socket. */
  #giveUp: (error: Error) => void = () => undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: WorkerConnectionOptions) {
    this.#options = options;
  }

  /** Whether it is registered. */
  get isReady(): boolean {
    return this.#state.is("registered");
  }

  /** Connects in the background. Once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Reports the load at once. Call it when the load has changed. */
  reportLoad(): void {
    if (!this.#state.is("registered")) return;
    const { load, jobCount } = this.#options.listener.load();
    const status = load >= 1 ? WorkerStatus.WS_FULL : WorkerStatus.WS_AVAILABLE;
    this.#send({ case: "updateWorker", value: { load, status, jobCount } });
  }

  /** Reports that a job has ended. */
  reportEnd(jobId: string, reason: EndReason): void {
    const status = reason === FAILURE ? JobStatus.JS_FAILED : JobStatus.JS_SUCCESS;
    this.#send({ case: "updateJob", value: { jobId, status } });
  }

  /** Idempotent; resolves when the socket is closed. */
  async close(): Promise<void> {
    if (!this.#isClosed) this.#state.enter("closed");
    this.#closing.abort();
    this.#socket?.close();
    // A server that has fallen silent does not confirm it.
    const timer = setTimeout(() => this.#giveUp(new Error("the server did not confirm the end")), CLOSE_MS);
    await this.#running;
    clearTimeout(timer);
  }

  get #pingIntervalMs(): number {
    return this.#options.pingIntervalMs ?? PING_INTERVAL_MS;
  }

  get #isClosed(): boolean {
    return this.#state.is("closed");
  }

  async #run(): Promise<void> {
    const { logger, url } = this.#options;
    let failures = 0;
    while (!this.#isClosed) {
      try {
        await this.#connectOnce(() => {
          failures = 0;
        });
      } catch (error) {
        // Logged once per outage, not at every attempt.
        if (!this.#isClosed && failures === 0) logger.warn({ err: error, url }, "connection to LiveKit lost");
      }
      this.#withdrawPending();
      if (this.#isClosed) return;
      this.#state.enter("waiting");
      const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures);
      failures += 1;
      // Jitter, so that the workers of a restarted server do not all return at the same time.
      await delay(backoffMs * (0.5 + Math.random()), undefined, { signal: this.#closing.signal }).catch(() => {});
      if (!this.#isClosed) this.#state.enter("connecting");
    }
  }

  /** Resolves when a registered connection has ended; rejects if it fails before. */
  async #connectOnce(onRegistered: () => void): Promise<void> {
    const { url, key, logger } = this.#options;
    const token = new AccessToken(key.apiKey, key.apiSecret, { ttl: TOKEN_TTL_S });
    token.addGrant({ agent: true });
    const address = `${url.replace(/^http/, "ws").replace(/\/+$/, "")}/agent?protocol=1`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${await token.toJwt()}` } });
    if (this.#isClosed) return socket.close();
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#lastMessageMs = performance.now();
    const timers = [
      setInterval(() => this.reportLoad(), STATUS_INTERVAL_MS),
      setInterval(() => this.#ping(socket), this.#pingIntervalMs),
    ];
    try {
      await new Promise<void>((resolve, reject) => {
        this.#giveUp = reject;
        socket.addEventListener("open", () => this.#register());
        socket.addEventListener("error", ({ error }) => reject(error ?? new Error("the connection failed")));
        socket.addEventListener("close", () => {
          if (this.#state.is("closed", "registered")) resolve();
          else reject(new Error("the server closed the connection before the registration"));
        });
        socket.addEventListener("message", ({ data }) => {
          // A connection that was given up.
          if (this.#socket !== socket) return;
          this.#lastMessageMs = performance.now();
          const message = readMessage(data);
          if (message?.case === "register" && this.#state.is("connecting")) {
            this.#state.enter("registered");
            onRegistered();
            logger.info({ workerId: message.value.workerId }, "worker registered");
            this.reportLoad();
            this.#options.listener.onReady();
          } else if (message) {
            this.#take(message);
          }
        });
      });
    } finally {
      for (const timer of timers) clearInterval(timer);
      this.#socket = null;
    }
    if (!this.#isClosed) throw new Error("the connection ended");
  }

  #register(): void {
    const allowedPermissions = new ParticipantPermission({
      canPublish: true,
      canSubscribe: true,
      canPublishData: true,
      canUpdateMetadata: true,
      agent: true,
    });
    const { dispatchName: agentName } = this.#options;
    this.#send({
      case: "register",
      value: { type: JobType.JT_ROOM, agentName, version: WORKER_VERSION, allowedPermissions },
    });
  }

  #take(message: ServerMessage["message"]): void {
    const { logger, listener } = this.#options;
    switch (message.case) {
      case "availability": {
        const job = message.value.job;
        if (!job) return;
        this.#answerOffer({ id: job.id, metadata: job.metadata }).catch((error) => {
          logger.warn({ err: error }, "job offer not answered");
        });
        return;
      }
      case "assignment": {
        const { job, url, token } = message.value;
        if (!job || !this.#takePending(job.id)) return;
        listener.onAssigned({
          id: job.id,
          metadata: job.metadata,
          controlRoom: { url: url || this.#options.url, token },
        });
        return;
      }
      case "termination":
        listener.onTerminated(message.value.jobId);
        return;
      default:
        return; // Pongs, and messages of newer servers.
    }
  }

  async #answerOffer(job: OfferedJob): Promise<void> {
    const { listener, participant } = this.#options;
    const socket = this.#socket;
    const isAccepted = await listener.onOffer(job).catch(() => false);
    if (!isAccepted) {
      this.#send({ case: "availability", value: { jobId: job.id, available: false } });
      // The load that LiveKit knew was out of date: with it, this worker's node would be chosen again.
      this.reportLoad();
      return;
    }
    // An answer on another connection would be about a job that is no longer offered.
    if (this.#socket !== socket || !this.#state.is("registered")) return listener.onWithdrawn(job.id);
    this.#pending.set(
      job.id,
      setTimeout(() => this.#takePending(job.id) && listener.onWithdrawn(job.id), ASSIGNMENT_TIMEOUT_MS),
    );
    this.#send({
      case: "availability",
      value: {
        jobId: job.id,
        available: true,
        participantIdentity: participant.identity,
        participantName: participant.name,
      },
    });
    this.reportLoad();
  }

  /** Removes a job from the pending ones. Returns false if it is not pending. */
  #takePending(jobId: string): boolean {
    clearTimeout(this.#pending.get(jobId));
    return this.#pending.delete(jobId);
  }

  #withdrawPending(): void {
    for (const jobId of [...this.#pending.keys()]) {
      if (this.#takePending(jobId)) this.#options.listener.onWithdrawn(jobId);
    }
  }

  #ping(socket: WebSocket): void {
    if (performance.now() - this.#lastMessageMs > SILENT_PINGS * this.#pingIntervalMs) {
      socket.close();
      // Its end would be confirmed by the server, which is silent.
      this.#giveUp(new Error("the server is silent"));
    } else this.#send({ case: "ping", value: { timestamp: BigInt(Date.now()) } });
  }

  #send(message: WorkerMessageBody): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(Uint8Array.from(new WorkerMessage({ message }).toBinary()));
  }
}

function readMessage(data: unknown): ServerMessage["message"] | null {
  if (!(data instanceof ArrayBuffer)) return null;
  try {
    return ServerMessage.fromBinary(new Uint8Array(data)).message;
  } catch {
    return null; // A message of a newer server.
  }
}
