// A room in memory for tests of the avatar's room classes: participants, RPC, byte streams and text streams, without a
// server.
import { EventEmitter, once } from "node:events";
import {
  type ByteStreamReader,
  type ConnectionState,
  ParticipantKind,
  type Room,
  RoomEvent,
  type Transcription,
} from "@livekit/rtc-node";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../../shared/wire-names.ts";

export interface FakeCall {
  to: string;
  method: string;
  payload: string;
}

/** A text stream of the avatar. */
export interface FakeText {
  text: string;
  pieces: string[];
  attributes: Record<string, string>;
}

type StreamHandler = (reader: ByteStreamReader, from: { identity: string }) => void;
type RpcMethod = (call: { callerIdentity: string; payload: string }) => Promise<string>;

export class FakeRoom extends EventEmitter {
  isConnected = true;
  readonly remoteParticipants = new Map<
    string,
    {
      identity: string;
      kind: ParticipantKind;
      attributes: Record<string, string>;
      trackPublications: Map<string, unknown>;
    }
  >();
  /** Calls that the avatar made, in order. */
  readonly calls: FakeCall[] = [];
  /** Text streams that the avatar opened. */
  readonly streams: FakeText[] = [];
  /** Those that it has closed, in that order. */
  readonly texts: FakeText[] = [];
  /** Transcription packets that it published. */
  readonly packets: Transcription[] = [];
  /** Decides how a call ends; a thrown error is the callee's. Default: it succeeds. */
  answer: (call: FakeCall) => Promise<string> | string = () => "";
  readonly localParticipant;
  readonly #streamHandlers = new Map<string, StreamHandler>();
  readonly #methods = new Map<string, RpcMethod>();

  constructor({ boundTo }: { boundTo?: string } = {}) {
    super();
    this.localParticipant = {
      attributes: boundTo === undefined ? {} : { [ATTRIBUTE_PUBLISH_ON_BEHALF]: boundTo },
      performRpc: async ({
        destinationIdentity: to,
        method,
        payload,
      }: {
        destinationIdentity: string;
        method: string;
        payload: string;
      }) => {
        this.calls.push({ to, method, payload });
        return this.answer({ to, method, payload });
      },
      registerRpcMethod: (name: string, method: RpcMethod) => this.#methods.set(name, method),
      identity: "avatar",
      streamText: async ({ attributes }: { attributes: Record<string, string> }) => {
        const stream: FakeText = { text: "", pieces: [], attributes };
        this.streams.push(stream);
        return {
          write: async (piece: string) => {
            stream.pieces.push(piece);
            stream.text += piece;
          },
          close: async () => void this.texts.push(stream),
        };
      },
      publishTranscription: async (packet: Transcription) => void this.packets.push(packet),
      publishTrack: async () => ({ sid: "TR_1" }),
    };
  }

  /** The room with the type that the avatar's classes expect. */
  get asRoom(): Room {
    return this as unknown as Room;
  }

  join(identity: string, kind = ParticipantKind.AGENT, attributes: Record<string, string> = {}): void {
    const participant = { identity, kind, attributes, trackPublications: new Map<string, unknown>() };
    this.remoteParticipants.set(identity, participant);
    this.emit(RoomEvent.ParticipantConnected, participant);
  }

  /** The connection is lost and restored, as the SDK reports it. */
  setConnection(state: ConnectionState): void {
    this.emit(RoomEvent.ConnectionStateChanged, state);
  }

  leave(identity: string): void {
    const participant = this.remoteParticipants.get(identity);
    this.remoteParticipants.delete(identity);
    this.emit(RoomEvent.ParticipantDisconnected, participant ?? { identity });
  }

  /** Calls a method that the avatar registered. */
  call(callerIdentity: string, method: string, payload = ""): Promise<string> {
    return this.#methods.get(method)!({ callerIdentity, payload });
  }

  registerByteStreamHandler(topic: string, handler: StreamHandler): void {
    this.#streamHandlers.set(topic, handler);
  }

  unregisterByteStreamHandler(topic: string): void {
    this.#streamHandlers.delete(topic);
  }

  /** No participant sends text here. */
  registerTextStreamHandler(): void {}

  unregisterTextStreamHandler(): void {}

  /** A participant opens a byte stream. */
  openStream(topic: string, identity: string, attributes: Record<string, string>): FakeStream {
    const stream = new FakeStream(attributes);
    this.#streamHandlers.get(topic)?.(stream as unknown as ByteStreamReader, { identity });
    return stream;
  }
}

/** A byte stream, from its sender's side and from its reader's. */
class FakeStream {
  readonly info: { attributes: Record<string, string> };
  isClosedByReader = false;
  readonly #events = new EventEmitter();
  readonly #chunks: (Uint8Array | Error | null)[] = [];

  constructor(attributes: Record<string, string>) {
    this.info = { attributes };
  }

  write(samples: Int16Array): void {
    this.#add(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
  }

  /** The sender closes the stream. */
  end(): void {
    this.#add(null);
  }

  breakOff(): void {
    this.#add(new Error("the stream broke off"));
  }

  async close(): Promise<void> {
    this.isClosedByReader = true;
    this.#add(null);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      while (this.#chunks.length === 0) await once(this.#events, "chunk");
      const chunk = this.#chunks.shift()!;
      if (chunk instanceof Error) throw chunk;
      if (chunk === null) return;
      yield chunk;
    }
  }

  #add(chunk: Uint8Array | Error | null): void {
    this.#chunks.push(chunk);
    this.#events.emit("chunk");
  }
}
