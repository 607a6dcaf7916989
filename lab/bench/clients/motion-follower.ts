// A participant's side of motion: says that it needs it, and counts the frames that arrive.
import { type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";
import { decodeMotionPacket, type MotionFrame } from "../../../shared/motion-packet.ts";
import { HOP_MS } from "../../../shared/units.ts";
import { parseWatchReply, type WatchNeeds } from "../../../shared/watch.ts";
import { RPC_WATCH, TOPIC_MOTION } from "../../../shared/wire-names.ts";

export interface MotionMetrics {
  packets: number;
  /** Frames that are to be shown, each once. */
  frames: number;
  /** Of a second of the worker's clock; 0 without frames. */
  fps: number;
}

/** Between two calls while the avatar is not there yet, ms. */
const BETWEEN_CALLS_MS = 300;

/** Counts from its construction, in a room that is connected or not. */
export class MotionFollower {
  readonly #room: Room;
  readonly #avatarIdentity: string;
  /** By index. */
  readonly #frames = new Map<number, MotionFrame>();
  /** Indices of frames that are not to be shown. */
  readonly #void = new Set<number>();
  #packets = 0;
  #renders: WatchNeeds | undefined;
  #isClosed = false;

  constructor(room: Room, avatarIdentity: string) {
    this.#room = room;
    this.#avatarIdentity = avatarIdentity;
    room.on(RoomEvent.DataReceived, this.#take);
  }

  /** What the avatar has answered. */
  get renders(): WatchNeeds | undefined {
    return this.#renders;
  }

  /** Calls `service.watch` until the avatar answers that it does so, or this is closed. Never rejects. */
  async tell(needs: WatchNeeds): Promise<void> {
    while (!this.#isClosed && this.#renders !== needs) {
      this.#renders = await this.#call(needs);
      if (this.#renders !== needs) await new Promise((resolve) => setTimeout(resolve, BETWEEN_CALLS_MS));
    }
  }

  /** Forgets what has arrived. */
  begin(): void {
    this.#frames.clear();
    this.#void.clear();
    this.#packets = 0;
  }

  /** Of what has arrived since `begin`. */
  metrics(): MotionMetrics {
    const times = [...this.#frames.values()].map(({ atMs }) => atMs);
    const spanMs = times.length > 0 ? Math.max(...times) - Math.min(...times) + HOP_MS : 0;
    const fps = spanMs > 0 ? Math.round((times.length * 10_000) / spanMs) / 10 : 0;
    return { packets: this.#packets, frames: times.length, fps };
  }

  /** Parameters of the frames that have arrived since `begin`, in their order; null for one that was lost. */
  poses(): (number[] | null)[] {
    const indices = [...this.#frames.keys()];
    if (indices.length === 0) return [];
    const first = Math.min(...indices);
    const all = Array.from({ length: Math.max(...indices) - first + 1 }, (_, offset) => first + offset);
    return all
      .filter((index) => !this.#void.has(index))
      .map((index) => {
        const frame = this.#frames.get(index);
        return frame ? [...frame.parameters] : null;
      });
  }

  /** Idempotent. The room stays connected. */
  close(): void {
    this.#isClosed = true;
    this.#room.off(RoomEvent.DataReceived, this.#take);
  }

  async #call(needs: WatchNeeds): Promise<WatchNeeds | undefined> {
    const call = { destinationIdentity: this.#avatarIdentity, method: RPC_WATCH, payload: JSON.stringify({ needs }) };
    // There is no avatar yet, or it is of a version without the method.
    const answer = await this.#room.localParticipant?.performRpc(call).catch(() => undefined);
    const reply = parseWatchReply(answer ?? "");
    return reply?.ok ? reply.renders : undefined;
  }

  #take = (bytes: Uint8Array, _: RemoteParticipant | undefined, __: unknown, topic: string | undefined): void => {
    const packet = topic === TOPIC_MOTION ? decodeMotionPacket(bytes) : undefined;
    if (!packet) return;
    this.#packets += 1;
    for (const frame of packet.frames) this.#frames.set(frame.index, frame);
    for (const { from, until } of packet.cuts) {
      for (let index = from; index < until; index++) {
        this.#frames.delete(index);
        this.#void.add(index);
      }
    }
  };
}
