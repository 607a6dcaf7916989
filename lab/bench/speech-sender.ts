// The sending side of a voice agent: a participant that streams speech to an avatar and records send times.
import { setTimeout as delay } from "node:timers/promises";
import { type ByteStreamWriter, DisconnectReason, Room, RoomEvent } from "@livekit/rtc-node";
import { waitUntil } from "../../cli/service/wait-until.ts";
import {
  RPC_CLEAR_BUFFER,
  RPC_PLAYBACK_FINISHED,
  RPC_PLAYBACK_STARTED,
  TOPIC_AUDIO_STREAM,
} from "../../shared/wire-names.ts";
import { SENT_SAMPLE_RATE_HZ } from "./speech.ts";

export interface SentPiece {
  /** Send time of the chunk, in ms of `performance.now()`. */
  atMs: number;
  samples: Int16Array;
}

/** The avatar's report of a finished segment. */
export interface PlaybackReport {
  /** Arrival, in ms of `performance.now()`. */
  atMs: number;
  positionS: number;
  interrupted: boolean;
}

const PIECE_MS = 20;
/** Samples of a chunk in real time; the last one may be shorter. */
export const PIECE_SAMPLES = (SENT_SAMPLE_RATE_HZ * PIECE_MS) / 1000;

export class SpeechSender {
  readonly #room = new Room();
  readonly #avatarIdentity: string;
  /** Reports of finished segments, in the order of their arrival. */
  readonly reports: PlaybackReport[] = [];
  #left?: string;

  constructor(avatarIdentity: string) {
    this.#avatarIdentity = avatarIdentity;
    this.#room.on(RoomEvent.Disconnected, (reason) => {
      this.#left = DisconnectReason[reason];
    });
  }

  async start(url: string, token: string): Promise<void> {
    await this.#room.connect(url, token, { autoSubscribe: false, dynacast: false });
    const participant = this.#participant();
    participant.registerRpcMethod(RPC_PLAYBACK_STARTED, async () => "");
    participant.registerRpcMethod(RPC_PLAYBACK_FINISHED, async ({ callerIdentity, payload }) => {
      // Voice agents refuse it from anyone else, so it counts for nothing.
      if (callerIdentity !== this.#avatarIdentity) return "";
      const { playback_position, interrupted } = JSON.parse(payload) as Record<string, unknown>;
      const report = { positionS: Number(playback_position), interrupted: interrupted === true };
      this.reports.push({ atMs: performance.now(), ...report });
      return "";
    });
  }

  /** Sends audio like a microphone: a 20 ms chunk every 20 ms, each when its last sample is due. */
  async sendInRealTime(samples: Int16Array): Promise<SentPiece[]> {
    const writer = await this.#open();
    const pieces: SentPiece[] = [];
    const startedAtMs = performance.now();
    for (let from = 0; from < samples.length; from += PIECE_SAMPLES) {
      const dueMs = startedAtMs + pieces.length * PIECE_MS;
      await delay(Math.max(0, dueMs - performance.now()));
      const piece = samples.subarray(from, from + PIECE_SAMPLES);
      pieces.push({ atMs: performance.now(), samples: piece });
      await writer.write(toBytes(piece));
    }
    await writer.close();
    return pieces;
  }

  /** Sends everything at once, as voice agents do. Returns when the first chunk was sent. */
  async sendAhead(samples: Int16Array): Promise<number> {
    const writer = await this.#open();
    const sentAtMs = performance.now();
    await writer.write(toBytes(samples));
    await writer.close();
    return sentAtMs;
  }

  /** Waits for the report of the `count`th finished segment. Throws Error after `timeoutMs`. */
  waitUntilFinished(count: number, timeoutMs: number): Promise<void> {
    return waitUntil(() => this.reports.length >= count, `segment ${count} has finished`, timeoutMs);
  }

  /** Lets the avatar drop what is queued and stop. Rejects if it does not answer. */
  async interrupt(): Promise<void> {
    await this.#participant().performRpc({
      destinationIdentity: this.#avatarIdentity,
      method: RPC_CLEAR_BUFFER,
      payload: "",
    });
  }

  async close(): Promise<void> {
    await this.#room.disconnect();
  }

  #open(): Promise<ByteStreamWriter> {
    return this.#participant().streamBytes({
      name: "speech",
      topic: TOPIC_AUDIO_STREAM,
      destinationIdentities: [this.#avatarIdentity],
      attributes: { sample_rate: String(SENT_SAMPLE_RATE_HZ), num_channels: "1" },
    });
  }

  #participant() {
    const participant = this.#room.localParticipant;
    if (this.#left) throw new Error(`the sender was disconnected: ${this.#left}`);
    if (!participant) throw new Error("the sender is not in the room");
    return participant;
  }
}

function toBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
