// The client of a call over WebRTC: audio both ways, and events in the data channel `oai-events`. To the upstream it
// looks like a WebSocket client that sends a microphone in events.
//
// connecting  the answer is on its way                 → connected, ended (no connection within 15 s)
// connected   audio and events flow, the meter runs    → ended
// ended       the call is over; the peer is closed. Final.
import { randomUUID } from "node:crypto";
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import type { CallEnd } from "../call-end.ts";
import { EVENT_OVERHEAD_BYTES } from "../paced-socket.ts";
import type { CallClient, ClientCall } from "../relay-call.ts";
import { type AnsweredPeer, answerPeer, type PeerSettings } from "./answer-peer.ts";
import { type AnswerPart, Loudspeaker } from "./loudspeaker.ts";
import { Microphone } from "./microphone.ts";
import { countReceived, PeerWatch } from "./peer-watch.ts";
import { readUpstreamEvent } from "./read-upstream-event.ts";

const EVENTS_CHANNEL = "oai-events";
/** A caller that does not connect within this time never will. */
const CONNECT_MS = 15_000;
/** Largest message of a data channel that every browser takes. */
const MAX_MESSAGE_BYTES = 262_144;
/** Above this many unsent bytes the upstream is not read. */
const FULL_BYTES = 1_048_576;
const DRAINED_BYTES = 262_144;
/** Events for a channel that is not open yet; a caller may never open one. */
const MAX_EARLY_BYTES = 1_048_576;
/** What a caller may send while the upstream is not reading. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Time for the last event to reach the caller, ms. */
const LAST_EVENT_MS = 100;
const CLEAR = "output_audio_buffer.clear";
/** The caller vanished. Source: RFC 6455, abnormal closure. */
const VANISHED = 1006;

type ClientState = "connecting" | "connected" | "ended";

const MOVES = defineMoves<ClientState>({ connecting: ["connected", "ended"], connected: ["ended"], ended: [] });

export interface WebRtcClientOptions extends PeerSettings {
  call: ClientCall;
  /** From `cleanOffer`. */
  offer: string;
  /** What the upstream is told first, as a `session.update`. */
  session?: object;
}

export class WebRtcClient implements CallClient {
  readonly #state = new StateMachine(MOVES, "connecting");
  readonly #call: ClientCall;
  readonly #session: object | undefined;
  readonly #microphone: Microphone;
  readonly #loudspeaker: Loudspeaker;
  #answered: AnsweredPeer | undefined;
  #channel: RTCDataChannel | undefined;
  #watch: PeerWatch | undefined;
  #connecting: NodeJS.Timeout | undefined;
  #early: string[] = [];
  #earlyBytes = 0;
  #isUpstreamFull = false;
  #unreadBytes = 0;
  #mayInterrupt = true;

  private constructor(call: ClientCall, session: object | undefined) {
    this.#call = call;
    this.#session = session;
    this.#microphone = new Microphone({ onEvent: (event) => this.#sendAudio(event) });
    this.#loudspeaker = new Loudspeaker({
      onFrame: (samples) => this.#answered?.play(samples),
      onStarted: (responseId) => this.#tell("output_audio_buffer.started", { response_id: responseId }),
      onStopped: (responseId) => this.#tell("output_audio_buffer.stopped", { response_id: responseId }),
      onDrain: () => this.#call.resume(),
    });
  }

  /** Answers an offer; the call begins when the caller has connected. Resolves with the SDP answer. Throws ServiceError
   *  VALIDATION_ERROR for an offer that cannot be answered; the call is then still to be ended. */
  static async answer({ call, offer, session, ports, address }: WebRtcClientOptions): Promise<string> {
    const client = new WebRtcClient(call, session);
    const answered = await answerPeer({
      offer,
      ports,
      address,
      onAudio: (audio) => {
        if (client.#state.is("connected")) client.#microphone.push(audio);
      },
      onChannel: (channel) => client.#open(channel),
      onState: (state) => client.#onState(state),
    });
    client.#answered = answered;
    if (call.hasEnded) client.#release();
    else client.#connecting = setTimeout(() => client.#vanish("no connection"), CONNECT_MS);
    return answered.answer;
  }

  /** See `CallClient`. */
  send(data: Buffer | string, isBinary: boolean): boolean {
    const text = data.toString();
    const event = isBinary ? { kind: "other" as const } : readUpstreamEvent(text);
    if (event.kind === "audio") return this.#loudspeaker.play(event.part, event.audio);
    if (event.kind === "session") {
      this.#microphone.format = event.input;
      this.#loudspeaker.format = event.output;
      this.#mayInterrupt = event.mayInterrupt;
    }
    const isRoom = this.#pass(text);
    if (event.kind === "complete") this.#loudspeaker.finish(event.responseId);
    if (event.kind === "speech" && this.#mayInterrupt) this.#clear();
    return isRoom;
  }

  /** See `CallClient`. */
  onDrain(): void {
    this.#isUpstreamFull = false;
    this.#unreadBytes = 0;
  }

  /** See `CallClient`. */
  heldBytes(): number {
    return this.#earlyBytes + this.#loudspeaker.heldBytes + (this.#channel?.bufferedAmount ?? 0);
  }

  /** See `CallClient`. A data channel has no close code: an event says why. */
  close({ reason, code, text }: CallEnd): void {
    if (reason !== "hung_up") {
      this.#tell("error", {
        error: { type: "session_ended", code: reason, message: text, param: null, event_id: null, close_code: code },
      });
    }
    setTimeout(() => this.#release(), LAST_EVENT_MS);
  }

  #onState(state: RTCPeerConnectionState): void {
    if (state === "connected" && this.#state.is("connecting")) {
      clearTimeout(this.#connecting);
      this.#state.enter("connected");
      this.#loudspeaker.start();
      this.#watch = new PeerWatch({
        received: () => (this.#answered ? countReceived(this.#answered.peer) : Promise.resolve(0)),
        onVanished: () => this.#vanish("vanished"),
      });
      this.#watch.start();
      this.#call.begin(this);
      // The upstream has gone meanwhile.
      if (this.#call.hasEnded) this.#release();
      else if (this.#session)
        this.#receive(Buffer.from(JSON.stringify({ type: "session.update", session: this.#session })), false);
    } else if (state === "failed" || state === "closed") this.#vanish(state);
  }

  #open(channel: RTCDataChannel): void {
    // Nothing reads others, and each takes memory.
    if (this.#channel || channel.label !== EVENTS_CHANNEL) {
      channel.close();
      return;
    }
    this.#channel = channel;
    channel.binaryType = "arraybuffer";
    channel.bufferedAmountLowThreshold = DRAINED_BYTES;
    channel.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
      if (typeof data === "string") this.#receive(Buffer.from(data), false);
      else this.#receive(Buffer.from(data), true);
    };
    channel.onbufferedamountlow = () => this.#call.resume();
    // Callers that hang up close it; one that crashes does not.
    channel.onclose = () => this.#end(1000, "");
    const flush = () => {
      const early = this.#early;
      this.#early = [];
      this.#earlyBytes = 0;
      for (const event of early) this.#pass(event);
    };
    channel.onopen = flush;
    if (channel.readyState === "open") flush();
  }

  /** An event of the caller. */
  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#state.is("ended")) return;
    if (!isBinary && data.includes(CLEAR) && isClear(data)) {
      this.#clear();
      return;
    }
    if (this.#isUpstreamFull) this.#unreadBytes += data.length + EVENT_OVERHEAD_BYTES;
    if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#call.end("too_large");
    else if (!this.#call.send(data, isBinary)) this.#isUpstreamFull = true;
  }

  /** Sound is not kept for an upstream that does not read: it would be late. */
  #sendAudio(event: string): void {
    if (this.#state.is("ended") || this.#isUpstreamFull) return;
    if (!this.#call.send(Buffer.from(event), false)) this.#isUpstreamFull = true;
  }

  /** The caller hears no more of the answer, and the upstream is told how much of it was heard. */
  #clear(): void {
    const cut = this.#loudspeaker.clear();
    if (!cut) return;
    this.#tell("output_audio_buffer.cleared", { response_id: cut.part.responseId });
    if (cut.part.itemId !== "") this.#call.send(Buffer.from(truncation(cut.part, cut.heardMs)), false);
  }

  /** An event of the relay's own. */
  #tell(type: string, fields: object): void {
    this.#pass(JSON.stringify({ type, event_id: `event_${randomUUID().replaceAll("-", "")}`, ...fields }));
  }

  /** Returns false if the upstream should wait. */
  #pass(text: string): boolean {
    const channel = this.#channel;
    if (channel?.readyState !== "open") {
      this.#keep(text);
      return true;
    }
    if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) {
      this.#tell("error", {
        error: {
          type: "server_error",
          code: "event_too_large",
          message: "An event of the model is too large for a data channel.",
        },
      });
      return true;
    }
    try {
      channel.send(text);
    } catch {
      // It has just been closed: `onclose` follows.
      return true;
    }
    return channel.bufferedAmount < FULL_BYTES;
  }

  #keep(text: string): void {
    const bytes = Buffer.byteLength(text) + EVENT_OVERHEAD_BYTES;
    if (this.#state.is("ended") || this.#earlyBytes + bytes > MAX_EARLY_BYTES) return;
    this.#early.push(text);
    this.#earlyBytes += bytes;
  }

  #vanish(text: string): void {
    this.#end(VANISHED, text);
  }

  #end(code: number, text: string): void {
    this.#call.end({ reason: "client_closed", code, text });
    this.#release();
  }

  /** Idempotent. */
  #release(): void {
    if (this.#state.is("ended")) return;
    this.#state.enter("ended");
    clearTimeout(this.#connecting);
    this.#watch?.close();
    this.#loudspeaker.close();
    this.#early = [];
    this.#answered?.close();
  }
}

function isClear(data: Buffer): boolean {
  try {
    return JSON.parse(data.toString()).type === CLEAR;
  } catch {
    return false;
  }
}

function truncation({ itemId, contentIndex }: AnswerPart, heardMs: number): string {
  const event = {
    type: "conversation.item.truncate",
    item_id: itemId,
    content_index: contentIndex,
    audio_end_ms: heardMs,
  };
  return JSON.stringify(event);
}
