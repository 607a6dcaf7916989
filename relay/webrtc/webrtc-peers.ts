// The relay's side of the process of WebRTC peers, which is started with the first offer and again after a crash.
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../../program/child-process/child-environment.ts";
import { moduleFlags } from "../../program/child-process/module-flags.ts";
import type { Logger } from "../../program/log.ts";
import { ServiceError } from "../../shared/errors.ts";
import type { CallEnd } from "../call-end.ts";
import type { CallClient, RelayCall } from "../relay-call.ts";
import type { PeerSettings } from "./answer-peer.ts";
import { MessageQueue } from "./message-queue.ts";
import { LOAD_MS, type MessageFromPeers, type MessageToPeers } from "./webrtc-messages.ts";

const MODULE = new URL("./webrtc-process.ts", import.meta.url);
/** The process starts in a second, and an offer is answered in seven at most. */
const ANSWER_MS = 20_000;
/** A process that has said nothing for this time hangs, also while it starts. */
const SILENT_MS = 30_000;
const RETRY_AFTER_SECONDS = 2;
/** Of a call without its process. Source: RFC 6455, abnormal closure. */
const LOST: CallEnd = { reason: "client_closed", code: 1006, text: "the process of its connection ended" };

export interface Offer extends PeerSettings {
  call: RelayCall;
  /** From `cleanOffer`. */
  offer: string;
  /** What the upstream is told first, as a `session.update`. */
  session?: object;
}

interface Answering {
  resolve(answer: string): void;
  reject(error: ServiceError): void;
  timer: NodeJS.Timeout;
}

/** A client with its connection in the other process. */
class RemoteClient implements CallClient {
  readonly call: RelayCall;
  answering: Answering | null;
  /** Bytes that wait for the caller there, as last reported. */
  heldThere = 0;
  readonly #queue: MessageQueue<MessageToPeers>;
  readonly #post: (message: MessageToPeers) => void;

  constructor(call: RelayCall, answering: Answering, child: ChildProcess) {
    this.call = call;
    this.answering = answering;
    const post = (message: MessageToPeers, onSent: () => void = () => undefined): void => {
      if (child.connected) child.send(message, onSent);
      else onSent();
    };
    this.#post = post;
    this.#queue = new MessageQueue({ post, onDrain: () => call.resume() });
  }

  send(data: Buffer | string, isBinary: boolean): boolean {
    return this.#queue.send({ type: "event", id: this.call.id, data, isBinary }, Buffer.byteLength(data));
  }

  onDrain(): void {
    this.#post({ type: "drain", id: this.call.id });
  }

  heldBytes(): number {
    return this.#queue.unsentBytes + this.heldThere;
  }

  close(end: CallEnd): void {
    this.#post({ type: "close", id: this.call.id, end });
  }

  /** Of the caller, or of its connection. */
  take(message: Exclude<MessageFromPeers, { type: "load" | "ended" }>): void {
    const { call } = this;
    if (message.type === "event") {
      if (!call.send(Buffer.from(message.data), message.isBinary)) this.#post({ type: "full", id: call.id });
    } else if (message.type === "full") this.#queue.pause();
    else if (message.type === "drain") this.#queue.resume();
    else if (message.type === "begun") {
      // The upstream may have gone meanwhile.
      if (call.hasEnded)
        this.close({ reason: "upstream_lost", code: 1011, text: "The connection to the model was lost" });
      else call.begin(this);
    } else if (message.type === "answered") {
      this.#finish(({ resolve }) => resolve(message.answer));
    } else if (message.type === "refused") {
      this.#finish(({ reject }) => reject(new ServiceError("VALIDATION_ERROR", message.message)));
    }
  }

  /** The connection is gone. */
  lose(): void {
    this.#finish(({ reject }) => reject(unavailable()));
    this.call.end(LOST);
  }

  #finish(settle: (answering: Answering) => void): void {
    if (!this.answering) return;
    clearTimeout(this.answering.timer);
    settle(this.answering);
    this.answering = null;
  }
}

export class WebRtcPeers {
  readonly #logger: Logger;
  readonly #silentMs: number;
  readonly #clients = new Map<string, RemoteClient>();
  #child: ChildProcess | null = null;
  #silence: NodeJS.Timeout | undefined;
  #memoryBytes = 0;
  #crashes = 0;
  #isClosed = false;

  /** Starts nothing yet. */
  constructor(logger: Logger, silentMs = SILENT_MS) {
    this.#logger = logger;
    this.#silentMs = silentMs;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resident memory of the process; 0 while there is none. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** How often the process ended by itself. */
  get crashes(): number {
    return this.#crashes;
  }

  /** Answers an offer; the call begins when the caller has connected. Resolves with the SDP answer. Throws
   *  ServiceError: VALIDATION_ERROR for an offer that cannot be answered, SERVICE_UNAVAILABLE if the process is gone or
   *  hangs. The call is then still to be ended. */
  answer({ call, offer, session, ports, address }: Offer): Promise<string> {
    if (this.#isClosed) return Promise.reject(unavailable());
    this.#child ??= this.#start();
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#kill(child, "an offer was not answered"), ANSWER_MS);
      this.#clients.set(call.id, new RemoteClient(call, { resolve, reject, timer }, child));
      if (child.connected)
        child.send({ type: "offer", id: call.id, offer, session, ports, address } satisfies MessageToPeers);
    });
  }

  /** Ends the process, and with it all connections. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill("SIGKILL"), LOAD_MS);
    await gone;
    clearTimeout(timer);
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(MODULE), [], {
      execArgv: moduleFlags(MODULE),
      // It needs no secret, and has none.
      env: childEnvironment(),
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      serialization: "advanced",
    });
    child.on("message", (message: MessageFromPeers) => this.#take(child, message));
    child.once("exit", (code, signal) => this.#onGone(child, `it ended (${signal ?? code})`));
    child.once("error", (error) => this.#onGone(child, error.message));
    this.#watch(child);
    return child;
  }

  #take(child: ChildProcess, message: MessageFromPeers): void {
    this.#watch(child);
    if (message.type === "load") {
      this.#memoryBytes = message.memoryBytes;
      for (const [id, bytes] of message.held) {
        const client = this.#clients.get(id);
        if (client) client.heldThere = bytes;
      }
    } else if (message.type === "ended") {
      this.#clients.get(message.id)?.call.end(message.end);
      this.#clients.delete(message.id);
    } else this.#clients.get(message.id)?.take(message);
  }

  #watch(child: ChildProcess): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#kill(child, "it said nothing"), this.#silentMs);
    this.#silence.unref();
  }

  #kill(child: ChildProcess, reason: string): void {
    this.#logger.error({ reason }, "process of WebRTC calls hangs");
    child.kill("SIGKILL");
  }

  #onGone(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = null;
    clearTimeout(this.#silence);
    this.#memoryBytes = 0;
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    if (!this.#isClosed) {
      this.#crashes += 1;
      this.#logger.error({ reason, calls: clients.length }, "process of WebRTC calls ended; its calls end");
    }
    for (const client of clients) client.lose();
  }
}

function unavailable(): ServiceError {
  const options = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return new ServiceError("SERVICE_UNAVAILABLE", "The call could not be connected. Try again.", options);
}
