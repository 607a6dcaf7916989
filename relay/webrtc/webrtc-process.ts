// The process of WebRTC peers: strangers' SDP, ICE and RTP are parsed by native code, which may crash. It knows nothing
// but the calls over WebRTC, and ends with its relay.
import { limitProcess } from "../../program/child-process/limit-process.ts";
import { createLogger } from "../../program/log.ts";
import { logUncaught } from "../../program/log-uncaught.ts";
import { isServiceError } from "../../shared/errors.ts";
import type { CallEnd, OwnEnd } from "../call-end.ts";
import type { CallClient, ClientCall } from "../relay-call.ts";
import { MessageQueue } from "./message-queue.ts";
import { WebRtcClient } from "./webrtc-client.ts";
import { LOAD_MS, type MessageFromPeers, type MessageToPeers } from "./webrtc-messages.ts";

/** Twice what a relay keeps of all its calls: its calls that keep most end long before. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

function post(message: MessageFromPeers, onSent: () => void = () => undefined): void {
  // A relay that is gone ends this process.
  process.send?.(message, undefined, undefined, onSent);
}

/** A call as its client sees it; the relay has the rest. */
class RemoteCall implements ClientCall {
  readonly id: string;
  readonly #queue = new MessageQueue<MessageFromPeers>({ post, onDrain: () => this.#client?.onDrain() });
  #client: CallClient | null = null;
  #hasEnded = false;

  constructor(id: string) {
    this.id = id;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get heldBytes(): number {
    return this.#queue.unsentBytes + (this.#client?.heldBytes() ?? 0);
  }

  begin(client: CallClient): void {
    if (this.#hasEnded || this.#client) return;
    this.#client = client;
    post({ type: "begun", id: this.id });
  }

  send(data: Buffer, isBinary: boolean): boolean {
    if (this.#hasEnded) return true;
    return this.#queue.send({ type: "event", id: this.id, data, isBinary }, data.length);
  }

  resume(): void {
    if (!this.#hasEnded) post({ type: "drain", id: this.id });
  }

  end(end: OwnEnd | CallEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    calls.delete(this.id);
    post({ type: "ended", id: this.id, end });
  }

  take(message: Exclude<MessageToPeers, { type: "offer" }>): void {
    if (message.type === "event") {
      const data = typeof message.data === "string" ? message.data : Buffer.from(message.data);
      if (this.#client && !this.#client.send(data, message.isBinary)) post({ type: "full", id: this.id });
    } else if (message.type === "full") this.#queue.pause();
    else if (message.type === "drain") this.#queue.resume();
    else if (message.type === "close") {
      this.#hasEnded = true;
      calls.delete(this.id);
      this.#client?.close(message.end);
    }
  }
}

const calls = new Map<string, RemoteCall>();

async function answer(message: Extract<MessageToPeers, { type: "offer" }>): Promise<void> {
  const { id } = message;
  const call = new RemoteCall(id);
  calls.set(id, call);
  try {
    post({ type: "answered", id, answer: await WebRtcClient.answer({ ...message, call }) });
  } catch (error) {
    calls.delete(id);
    post({ type: "refused", id, message: isServiceError(error) ? error.message : String(error) });
  }
}

// Standard error goes to the relay's log. All calls over WebRTC depend on this process.
const stream = { write: (line: string) => void process.stderr.write(line) };
logUncaught(createLogger({ level: "info", name: "webrtc", stream }));
process.on("message", (message: MessageToPeers) => {
  if (message.type === "offer") void answer(message);
  else calls.get(message.id)?.take(message);
});
// libwebrtc crashes when Node takes its environment apart, so the process ends at once.
process.on("disconnect", () => process.exit(0));
limitProcess({ maxMemoryBytes: MAX_MEMORY_BYTES, endsWithParent: true });
setInterval(() => {
  const held = [...calls.values()].map((call): [string, number] => [call.id, call.heldBytes]);
  post({ type: "load", memoryBytes: process.memoryUsage.rss(), held });
}, LOAD_MS);
