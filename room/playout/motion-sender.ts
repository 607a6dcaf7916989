// Sends the face's motion to the participants that render it themselves, ahead of the audio that it belongs to.
//
// Packets are lossy, so each frame is in several of them. Frames wait for a packet together as long as there is time.
import type { Room } from "@livekit/rtc-node";
import { encodeMotionPacket, type MotionCut, type MotionFrame } from "../../shared/motion-packet.ts";
import { TOPIC_MOTION } from "../../shared/wire-names.ts";
import type { FacePose } from "../../src/face/engine/engine.ts";
import type { RoomLog } from "../room-log.ts";

/** Packets that a frame is in at least, unless it is cut. */
const REPEATED = 3;
/** Frames of a packet: new ones and repeated ones. */
const MOST_FRAMES = 6;
/** New frames that are sent at once. */
const MOST_NEW = 3;
/** A frame is sent at least this long before its audio leaves the queue, ms, if it is known by then. */
const LEAST_AHEAD_MS = 60;
/** Cuts that are kept. */
const MOST_CUTS = 4;
/** Packets that repeat a cut. */
const CUT_REPEATED = 10;

export interface MotionSenderOptions {
  room: Room;
  logger: RoomLog;
  /** Says who renders. */
  watch: { readonly motionIdentities: string[] };
}

/** Counts the frames of one avatar process from zero. */
export class MotionSender {
  readonly #options: MotionSenderOptions;
  readonly #epoch = Math.floor(Math.random() * 2 ** 32);
  #nextIndex = 0;
  #sequence = 0;
  /** Frames of the last packets, and those that wait for one, with the packets that they were in. */
  #frames: { frame: MotionFrame; sent: number }[] = [];
  #cuts: { cut: MotionCut; left: number }[] = [];

  constructor(options: MotionSenderOptions) {
    this.#options = options;
  }

  /** Whether a participant renders the face. */
  get isNeeded(): boolean {
    return this.#options.watch.motionIdentities.length > 0;
  }

  /** The next frame: its audio leaves the queue at `atMs` of `performance.now()`. Returns its index. */
  add({ parameters, breath, input }: FacePose, atMs: number): number {
    const index = this.#nextIndex++;
    const { speech, isStarved } = input;
    const frame = { index, atMs: Math.round(atMs), isSpeaking: speech !== null, isStarved, breath, parameters };
    this.#frames.push({ frame, sent: 0 });
    const fresh = this.#frames.filter(({ sent }) => sent === 0);
    if (fresh.length >= MOST_NEW || fresh[0].frame.atMs - performance.now() < LEAST_AHEAD_MS) this.#send();
    return index;
  }

  /** Frames from this index on are not shown: their audio is not played. */
  cut(from: number): void {
    if (from >= this.#nextIndex) return;
    this.#frames = this.#frames.filter(({ frame }) => frame.index < from);
    this.#cuts.push({ cut: { from, until: this.#nextIndex }, left: CUT_REPEATED });
    this.#cuts = this.#cuts.slice(-MOST_CUTS);
    this.#send();
  }

  #send(): void {
    const { room, watch, logger } = this.#options;
    const packet = encodeMotionPacket({
      epoch: this.#epoch,
      sequence: this.#sequence++,
      sentAtMs: Math.round(performance.now()),
      cuts: this.#cuts.map(({ cut }) => cut),
      frames: this.#frames.map(({ frame }) => frame),
    });
    for (const one of this.#frames) one.sent += 1;
    for (const one of this.#cuts) one.left -= 1;
    this.#frames = this.#frames.filter(({ sent }) => sent < REPEATED).slice(-(MOST_FRAMES - MOST_NEW));
    this.#cuts = this.#cuts.filter(({ left }) => left > 0);
    const options = { reliable: false, topic: TOPIC_MOTION, destination_identities: watch.motionIdentities };
    // Without a participant the packet would go to everyone.
    if (options.destination_identities.length === 0) return;
    room.localParticipant?.publishData(packet, options).catch((error: unknown) => {
      logger.debug({ err: error }, "motion not sent");
    });
  }
}
