// Where faults happen: a service of its own, and a room with a sender and a listener who judges.
import { setTimeout as delay } from "node:timers/promises";
import type { JudgeCommands, SenderCommands } from "../clients/client-messages.ts";
import { ClientProcess } from "../clients/client-process.ts";
import { sharedNowMs } from "../clients/shared-clock.ts";
import { readProcesses } from "../cpu-time.ts";
import { findServiceProcesses, partsOf, type ServiceProcesses } from "../service/find-service-processes.ts";
import type { DrivenService } from "../service/own-service.ts";
import {
  AVATAR_IDENTITY,
  closeSession,
  LISTENER_IDENTITY,
  mintToken,
  type OpenedSession,
  openSession,
  type RoomListener,
} from "../service/session-opener.ts";
import { readTcpSockets } from "../service/tcp-sockets.ts";
import { waitUntilAsync } from "../service/wait-until-async.ts";

const READY_TIMEOUT_MS = 120_000;
/** A restarted part may leave a request without an answer. */
const REQUEST_TIMEOUT_MS = 10_000;
const FIRST_FRAME_TIMEOUT_MS = 60_000;
/** The face must have been there for this long before it is taken away. */
const STEADY_MS = 2000;
const LAUNCH_ATTEMPTS = 5;
const RETRY_MS = 2000;

export interface SessionState {
  /** With the reason of its end. */
  status: string;
  billedS: number;
}

export class ChaosStage {
  readonly service: DrivenService;
  readonly senders: ClientProcess<SenderCommands>;
  readonly judge: ClientProcess<JudgeCommands>;
  readonly #listener: RoomListener;
  #session: OpenedSession | null = null;
  /** When the first frame of the session was seen, shared clock. */
  #shownAtMs = 0;
  #awayMs = 0;

  private constructor(
    service: DrivenService,
    senders: ClientProcess<SenderCommands>,
    judge: ClientProcess<JudgeCommands>,
  ) {
    this.service = service;
    this.senders = senders;
    this.judge = judge;
    this.#listener = {
      join: (request) => judge.call("join", { ...request, avatarIdentity: AVATAR_IDENTITY }),
      leave: (id) => judge.call("leave", { id }),
    };
  }

  /** Starts sender and judge. `speechFile`: mono int16 at 16 kHz. */
  static async start(service: DrivenService, speechFile: string): Promise<ChaosStage> {
    const senders = await ClientProcess.start<SenderCommands>("sender");
    await senders.call("load", { speechFile });
    return new ChaosStage(service, senders, await ClientProcess.start<JudgeCommands>("judge"));
  }

  /** The session in which faults happen: the one of before if it still shows frames, else a new one. */
  async liveSession(): Promise<OpenedSession> {
    await this.waitUntilReady();
    if (this.#session && !(await this.#showsFrames(this.#session))) await this.closeSession();
    const isNew = this.#session === null;
    this.#session ??= await this.#open();
    const { id } = this.#session;
    let shownAtMs: number | null = null;
    const hasFrame = async () => {
      shownAtMs = await this.judge.call("firstFrameAtMs", { id });
      return shownAtMs !== null;
    };
    await waitUntilAsync(hasFrame, "the avatar shows frames", FIRST_FRAME_TIMEOUT_MS);
    if (isNew) [this.#shownAtMs, this.#awayMs] = [shownAtMs ?? 0, 0];
    await delay(STEADY_MS);
    return this.#session;
  }

  /** Lets the listener join again if its client has given up, as a viewer who reloads the page. */
  async keepListening({ id, roomName }: OpenedSession): Promise<void> {
    if (await this.judge.call("isInRoom", { id })) return;
    await this.judge.call("leave", { id });
    const token = await mintToken(this.service, roomName, LISTENER_IDENTITY);
    await this.#listener.join({ id, url: this.service.livekit.url, token });
  }

  /** Time since the session showed its first frame, s. */
  get shownS(): number {
    return (sharedNowMs() - this.#shownAtMs) / 1000;
  }

  /** A fault took the face of the session away for this long. */
  noteAway(ms: number): void {
    this.#awayMs += ms;
  }

  /** Time that the faults of all rows so far have taken the session's face away, s. */
  get awayS(): number {
    return this.#awayMs / 1000;
  }

  /** Ends the session, if there is one. */
  async closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    if (session) await closeSession(this.service, session, this.senders);
  }

  /** A session as the api has it. */
  async viewOf({ sessionId }: OpenedSession): Promise<SessionState> {
    const answer = await fetch(`${this.service.client.baseUrl}/v1/runtime-sessions/${sessionId}`, {
      headers: { "api-secret": this.service.apiSecret },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch(() => null);
    if (!answer?.ok) return { status: `unknown (${answer?.status ?? "no answer"})`, billedS: 0 };
    const view = (await answer.json()) as { status: string; end_reason?: string | null; billed_seconds: number };
    const status = view.end_reason ? `${view.status}: ${view.end_reason}` : view.status;
    return { status, billedS: view.billed_seconds };
  }

  /** Waits until the api answers and takes launches again. Throws Error after two minutes. */
  async waitUntilReady(): Promise<void> {
    const { baseUrl } = this.service.client;
    const isReady = async () => {
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      return (await fetch(`${baseUrl}/readyz`, { signal }).catch(() => null))?.ok === true;
    };
    await waitUntilAsync(isReady, "the api is ready", READY_TIMEOUT_MS);
    const hasWorker = async () => (await this.processes()).workers.length > 0;
    await waitUntilAsync(hasWorker, "a worker is connected", READY_TIMEOUT_MS);
  }

  processes(): Promise<ServiceProcesses> {
    const { client, livekit } = this.service;
    return findServiceProcesses({ apiUrl: client.baseUrl, livekitUrl: livekit.url }, this.#helperPids());
  }

  /** Processes below the worker: those connected to the LiveKit server have a session, the others wait for one. The
   *  worker itself stands for its session if it has no such process. */
  async sessionProcesses(): Promise<{ live: number[]; waiting: number[] }> {
    const found = await this.processes();
    const [all, sockets] = await Promise.all([readProcesses(), readTcpSockets()]);
    const port = Number(new URL(this.service.livekit.url).port);
    const connected = new Set(sockets.filter(({ remotePort }) => remotePort === port).flatMap(({ pids }) => pids));
    const below = partsOf(all, found)
      .service.map(({ pid }) => pid)
      .filter((pid) => !found.workers.includes(pid));
    const live = below.filter((pid) => connected.has(pid));
    return { live: live.length > 0 ? live : found.workers, waiting: below.filter((pid) => !connected.has(pid)) };
  }

  async close(): Promise<void> {
    await this.closeSession().catch(() => {}); // The service may be gone.
    await Promise.all([this.senders.close(), this.judge.close()]);
  }

  #helperPids(): number[] {
    return [this.senders.pid, this.judge.pid];
  }

  async #showsFrames({ id }: OpenedSession): Promise<boolean> {
    await this.judge.call("begin", { id });
    await delay(STEADY_MS / 2);
    return (await this.judge.call("firstFrameAtMs", { id })) !== null;
  }

  /** A service that has just been restarted may refuse the first launches. */
  async #open(): Promise<OpenedSession> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await openSession(this.service, this.#listener, this.senders);
      } catch (error) {
        if (attempt === LAUNCH_ATTEMPTS) throw error;
        await delay(RETRY_MS);
      }
    }
  }
}
