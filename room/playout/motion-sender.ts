// Sends the face's motion to the participants that render it themselves, ahead of the audio that it belongs to.
//
// A packet costs the process 0.2 % of a core at one a second, and 150 bytes before its first frame, whatever is in it.
// So frames wait for a packet together as long as there is time. In silence nothing depends on audio, and the face is
// posed a second ahead; what speech or a command then makes wrong is taken back. Packets are lossy, so the next one
// repeats what is still to be shown.
import type { Room } from "@livekit/rtc-node";
import { encodeMotionPacket, MAX_MOTION_FRAMES, type MotionCut, type MotionFrame } from "../../shared/motion-packet.ts";
import { HOP_MS } from "../../shared/units.ts";
import { TOPIC_MOTION } from "../../shared/wire-names.ts";
import type { Engine, FrameInput, FramePose } from "../../src/face/engine/engine.ts";
import type { RoomLog } from "../room-log.ts";

/** A frame is sent at least this long before its audio leaves the queue, ms, if it is known by then. Audio is heard
 *  60 ms later at the earliest. */
const LEAST_AHEAD_MS = 80;
/** Least time between two packets, ms. */
const LEAST_GAP_MS = 70;
/** A packet that voids frames waits this long for the frames in their place, ms, and is repeated after the gap. */
const URGENT_MS = 8;
/** New frames that are sent at once. */
const MOST_NEW = 12;
/** Packets that a frame is in, unless it is over. */
const REPEATED = 2;
/** Frames are of use until this long after their audio has left the queue, ms. */
const USEFUL_MS = 40;
/** Frames of silence that are posed ahead. */
const FRAMES_AHEAD = 25;
/** A frame may be due this much earlier or later than it was expected, ms. */
const TOLERANCE_MS = 15;
/** Cuts that are kept, and how long packets repeat them, ms. */
const MOST_CUTS = 6;
const CUT_REPEATED_MS = 1500;

const SILENCE: FrameInput = { speech: null, isStarved: false };

export interface MotionSenderOptions {
  room: Room;
  logger: RoomLog;
  /** Says who renders. */
  watch: { readonly motionIdentities: string[] };
  engine: Pick<Engine, "pose" | "takeBack" | "onCommand" | "readiness">;
}

/** A frame by which the face has moved on, and which viewers know or will know. */
export interface ToldFrame {
  pose: FramePose;
  frame: MotionFrame;
}

/** Counts the frames of one avatar process from zero. */
export class MotionSender {
  readonly #options: MotionSenderOptions;
  readonly #epoch = Math.floor(Math.random() * 2 ** 32);
  #nextIndex = 0;
  #sequence = 0;
  /** Frames that are not over, and how often each was sent. */
  #frames: { frame: MotionFrame; sent: number }[] = [];
  /** Frames of silence that are not due yet, oldest first. */
  #ahead: ToldFrame[] = [];
  #cuts: { cut: MotionCut; untilMs: number }[] = [];
  readonly #endFollowing: () => void;
  #isStale = false;
  #identities: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  /** Whether a packet is to be sent soon, and once more. */
  #urgency: "none" | "repeat" | "first" = "none";

  constructor(options: MotionSenderOptions) {
    this.#options = options;
    this.#endFollowing = options.engine.onCommand(() => {
      this.#isStale = true;
    });
  }

  /** Whether a participant renders the face. */
  get isNeeded(): boolean {
    return this.#options.watch.motionIdentities.length > 0;
  }

  /** Whether the face was told to do something else than the frames show. Then take them back, and add them again. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** The next frame: its audio leaves the queue at `atMs` of `performance.now()`. */
  add(input: FrameInput, atMs: number): ToldFrame {
    this.#greetNewcomers();
    const [expected] = this.#ahead;
    const isExpected = expected && isSilence(input) && Math.abs(expected.frame.atMs - atMs) <= TOLERANCE_MS;
    if (expected && (!isExpected || this.isStale)) this.cut();
    const told = this.#ahead.shift() ?? this.#make(input, atMs);
    if (isSilence(input) && this.#options.engine.readiness() === "idle") this.#lookAhead(told);
    this.#schedule();
    return told;
  }

  /** This frame and those after it are not shown: their audio is not played. Without a frame: those ahead of all. */
  cut(first?: ToldFrame): void {
    const from = first ?? this.#ahead[0];
    this.#ahead = [];
    this.#isStale = false;
    if (!this.isNeeded) this.#identities = [];
    if (!from) return;
    this.#options.engine.takeBack(from.pose);
    const cut = { from: from.frame.index, until: this.#nextIndex };
    const areKnown = this.#frames.some(({ frame, sent }) => frame.index >= cut.from && sent > 0);
    this.#frames = this.#frames.filter(({ frame }) => frame.index < cut.from);
    if (!areKnown) return;
    this.#cuts.push({ cut, untilMs: performance.now() + CUT_REPEATED_MS });
    this.#cuts = this.#cuts.slice(-MOST_CUTS);
    this.#urgency = "first";
    this.#schedule();
  }

  /** Nothing is sent any more. Idempotent. */
  close(): void {
    clearTimeout(this.#timer);
    this.#endFollowing();
    this.#frames = [];
    this.#cuts = [];
    this.#urgency = "none";
  }

  #make(input: FrameInput, atMs: number): ToldFrame {
    const pose = this.#options.engine.pose(input);
    const { parameters, breath } = pose;
    const frame = {
      index: this.#nextIndex++,
      atMs: Math.max(0, Math.round(atMs)),
      isSpeaking: input.speech !== null,
      isStarved: input.isStarved,
      breath,
      parameters,
    };
    this.#frames.push({ frame, sent: 0 });
    return { pose, frame };
  }

  #lookAhead(last: ToldFrame): void {
    while (this.#ahead.length < FRAMES_AHEAD) {
      const { atMs } = (this.#ahead.at(-1) ?? last).frame;
      this.#ahead.push(this.#make(SILENCE, atMs + HOP_MS));
    }
  }

  /** A participant that has just said that it needs motion has none of the frames. */
  #greetNewcomers(): void {
    const identities = this.#options.watch.motionIdentities;
    if (identities.some((identity) => !this.#identities.includes(identity))) {
      for (const one of this.#frames) one.sent = 0;
      this.#urgency = "first";
    }
    this.#identities = identities;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const waitMs = this.#waitMs(performance.now());
    if (waitMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#send();
      this.#schedule();
    }, waitMs);
    this.#timer.unref();
  }

  /** Time until the next packet, ms; undefined if nothing is to be sent. */
  #waitMs(nowMs: number): number | undefined {
    if (this.#urgency === "first") return URGENT_MS;
    const gapMs = Math.max(1, this.#sentAtMs + LEAST_GAP_MS - nowMs);
    const fresh = this.#frames.filter(({ sent }) => sent === 0);
    if (this.#urgency === "repeat" || fresh.length >= MOST_NEW) return gapMs;
    return fresh.length > 0 ? Math.max(gapMs, fresh[0].frame.atMs - LEAST_AHEAD_MS - nowMs) : undefined;
  }

  #send(): void {
    const { room, watch, logger } = this.#options;
    const nowMs = performance.now();
    this.#sentAtMs = nowMs;
    this.#urgency = this.#urgency === "first" ? "repeat" : "none";
    this.#cuts = this.#cuts.filter(({ untilMs }) => untilMs > nowMs);
    this.#frames = this.#frames.filter(({ frame, sent }) => sent === 0 || frame.atMs + USEFUL_MS > nowMs);
    const repeated = this.#frames.filter(({ sent }) => sent < REPEATED).slice(-MAX_MOTION_FRAMES);
    for (const one of repeated) one.sent += 1;
    const options = { reliable: false, topic: TOPIC_MOTION, destination_identities: watch.motionIdentities };
    // Without a participant the packet would go to everyone.
    if (options.destination_identities.length === 0) return;
    const packet = encodeMotionPacket({
      epoch: this.#epoch,
      sequence: this.#sequence++,
      sentAtMs: Math.round(nowMs),
      cuts: this.#cuts.map(({ cut }) => cut),
      frames: repeated.map(({ frame }) => frame),
    });
    room.localParticipant?.publishData(packet, options).catch((error: unknown) => {
      logger.debug({ err: error }, "motion not sent");
    });
  }
}

function isSilence({ speech, isStarved }: FrameInput): boolean {
  return speech === null && !isStarved;
}
