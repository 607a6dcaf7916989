// Motion packets: what a face does in the next moments, from the worker to the tabs that render it. One packet is one
// data message on `TOPIC_MOTION`. Worker and tab are not always of one version, so a packet says how many parameters
// its frames have.
//
// Layout; a "varint" is an unsigned LEB128 number of at most five bytes, a "signed varint" the same in zigzag order:
//
//   byte      version, 1
//   byte      parameters per frame, 1 to 64
//   4 bytes   epoch, little endian
//   varint    sequence number of the packet
//   varint    when it was sent, ms of the worker's clock
//   byte      number of cuts; then each: varint first void index, varint number of void frames
//   byte      number of frames; then each:
//     byte           flags: 1 speaking, 2 starved, 4 an index follows, 8 a time follows
//     varint         with flag 4: its index less the index expected (0 for the first frame, else the previous plus one)
//     signed varint  with flag 8: its time less the time expected (that of sending for the first frame, else the
//                    previous plus 40 ms), ms
//     mask           one bit per value, lowest bit first: breath, then the parameters; set if the value has changed
//     signed varints the changes of these values since the previous frame of the packet (the first: since zero), in
//                    1/4096
//
// Bytes after the last frame are ignored: a later version may add some. Changes are small numbers, which makes a frame
// 15 to 35 bytes.
import { FACE_PARAMETER_COUNT } from "./face-parameters.ts";
import { HOP_MS } from "./units.ts";

/** Most bytes of a packet that are read. LiveKit's lossy packets hold about 1,300. */
export const MAX_MOTION_PACKET_BYTES = 4_096;
/** Most frames and cuts of a packet. */
export const MAX_MOTION_FRAMES = 32;
const MAX_MOTION_CUTS = 8;
/** Most parameters of a frame. */
const MAX_MOTION_WIDTH = 64;

const VERSION = 1;
/** Steps per unit of a value: an error of at most 1/8192, range −8 to 8. */
const SCALE = 4096;
const HIGHEST_STEP = 32_767;
const HIGHEST_UINT = 0xffff_ffff;
/** Largest distance between the times of a packet, ms: what a time may differ from the one expected. */
const LONGEST_TIME_STEP_MS = 60_000;

const SPEAKING = 1;
const STARVED = 2;
const HAS_INDEX = 4;
const HAS_TIME = 8;

/** What the face does in one video frame (40 ms). */
export interface MotionFrame {
  /** Counts the frames of an epoch, rising; 0 to 2³²−1. Void frames leave gaps. */
  index: number;
  /** When the frame's audio leaves the worker's queue, whole ms of the worker's clock. */
  atMs: number;
  /** Whether the frame is one of speech. */
  isSpeaking: boolean;
  /** Whether a segment waited for its sender. */
  isStarved: boolean;
  /** Chest position, −1 to 1. */
  breath: number;
  /** Float32, in the order of `FACE_PARAMETERS`. Beyond ±8 they are limited. */
  parameters: Float32Array;
}

/** Frames that are not to be shown, because their audio is not played. */
export interface MotionCut {
  /** The first void index. */
  from: number;
  /** The first index that is not void any more; above `from`. */
  until: number;
}

export interface MotionPacket {
  /** Chosen at random by each sender, 0 to 2³²−1: indices, sequence numbers and clock begin again with it. */
  epoch: number;
  /** Counts the packets of an epoch, 0 to 2³²−1. */
  sequence: number;
  /** When it was sent, whole ms of the worker's clock, 0 to 2³²−1. */
  sentAtMs: number;
  /** The last cuts, repeated for a while. They hold for all frames, of earlier packets too. */
  cuts: readonly MotionCut[];
  /** By rising index. Frames of earlier packets may be repeated. */
  frames: readonly MotionFrame[];
}

/** The bytes of a packet. All frames must have as many parameters as the first. A value that is not finite counts as 0.
 *  Throws RangeError for what does not fit the format. */
export function encodeMotionPacket(packet: MotionPacket): Uint8Array<ArrayBuffer> {
  const { epoch, sequence, sentAtMs, cuts, frames } = packet;
  if (frames.length > MAX_MOTION_FRAMES || cuts.length > MAX_MOTION_CUTS)
    throw new RangeError("too many frames or cuts");
  const width = frames[0]?.parameters.length ?? FACE_PARAMETER_COUNT;
  if (width < 1 || width > MAX_MOTION_WIDTH) throw new RangeError(`a frame has 1 to ${MAX_MOTION_WIDTH} parameters`);
  const writer = new Writer();
  writer.byte(VERSION);
  writer.byte(width);
  writer.uint32(epoch);
  writer.varint(sequence);
  writer.varint(sentAtMs);
  writer.byte(cuts.length);
  for (const { from, until } of cuts) {
    if (until <= from) throw new RangeError("a cut holds at least one frame");
    writer.varint(from);
    writer.varint(until - from);
  }
  writer.byte(frames.length);
  let before: FrameBefore = { index: 0, atMs: sentAtMs, steps: new Int32Array(width + 1) };
  for (const frame of frames) before = writeFrame(writer, frame, before);
  return writer.bytes();
}

/** The packet of some bytes, or undefined if they are of another version, cut short, too long or out of range. Each
 *  frame gets `FACE_PARAMETER_COUNT` parameters: further ones are left out, missing ones are 0. Never throws. */
export function decodeMotionPacket(bytes: Uint8Array): MotionPacket | undefined {
  if (bytes.length > MAX_MOTION_PACKET_BYTES) return undefined;
  try {
    return readPacket(new Reader(bytes));
  } catch (error) {
    if (error instanceof MalformedPacket) return undefined;
    throw error;
  }
}

/** What the next frame is written against. */
interface FrameBefore {
  /** The index and the time that the next frame has if nothing is said. */
  index: number;
  atMs: number;
  /** Breath, then the parameters, in steps. */
  steps: Int32Array;
}

class MalformedPacket extends Error {}

function writeFrame(writer: Writer, frame: MotionFrame, before: FrameBefore): FrameBefore {
  const { index, atMs, isSpeaking, isStarved, breath, parameters } = frame;
  const valueCount = before.steps.length;
  if (parameters.length !== valueCount - 1) throw new RangeError("frames of one packet have equally many parameters");
  if (!isTimeStep(atMs - before.atMs))
    throw new RangeError(`frames of one packet are at most ${LONGEST_TIME_STEP_MS} ms apart`);
  const hasIndex = index !== before.index;
  const hasTime = atMs !== before.atMs;
  writer.byte(
    (isSpeaking ? SPEAKING : 0) | (isStarved ? STARVED : 0) | (hasIndex ? HAS_INDEX : 0) | (hasTime ? HAS_TIME : 0),
  );
  if (hasIndex) writer.varint(index - before.index);
  if (hasTime) writer.signed(atMs - before.atMs);
  const steps = new Int32Array(valueCount);
  steps[0] = toSteps(breath);
  for (let k = 1; k < valueCount; k++) steps[k] = toSteps(parameters[k - 1]);
  for (let first = 0; first < valueCount; first += 8) {
    let mask = 0;
    for (let k = first; k < Math.min(valueCount, first + 8); k++) {
      if (steps[k] !== before.steps[k]) mask |= 1 << (k - first);
    }
    writer.byte(mask);
  }
  for (let k = 0; k < valueCount; k++) {
    if (steps[k] !== before.steps[k]) writer.signed(steps[k] - before.steps[k]);
  }
  return { index: index + 1, atMs: atMs + HOP_MS, steps };
}

function readPacket(reader: Reader): MotionPacket {
  if (reader.byte() !== VERSION) throw new MalformedPacket();
  const width = reader.byteWithin(1, MAX_MOTION_WIDTH);
  const epoch = reader.uint32();
  const sequence = reader.varint();
  const sentAtMs = reader.varint();
  const cuts: MotionCut[] = [];
  for (let left = reader.byteWithin(0, MAX_MOTION_CUTS); left > 0; left--) {
    const from = reader.varint();
    const count = reader.varint();
    if (count === 0 || from + count > HIGHEST_UINT) throw new MalformedPacket();
    cuts.push({ from, until: from + count });
  }
  const frames: MotionFrame[] = [];
  const before: FrameBefore = { index: 0, atMs: sentAtMs, steps: new Int32Array(width + 1) };
  for (let left = reader.byteWithin(0, MAX_MOTION_FRAMES); left > 0; left--) frames.push(readFrame(reader, before));
  return { epoch, sequence, sentAtMs, cuts, frames };
}

/** Reads a frame and prepares `before` for the next one. */
function readFrame(reader: Reader, before: FrameBefore): MotionFrame {
  const { steps } = before;
  const flags = reader.byte();
  const index = before.index + (flags & HAS_INDEX ? reader.varint() : 0);
  const atMs = before.atMs + (flags & HAS_TIME ? reader.signed(LONGEST_TIME_STEP_MS) : 0);
  if (index > HIGHEST_UINT) throw new MalformedPacket();
  const mask = reader.take(Math.ceil(steps.length / 8));
  for (let k = 0; k < steps.length; k++) {
    if (!(mask[k >> 3] & (1 << (k & 7)))) continue;
    steps[k] += reader.signed(2 * HIGHEST_STEP);
    if (Math.abs(steps[k]) > HIGHEST_STEP) throw new MalformedPacket();
  }
  const parameters = new Float32Array(FACE_PARAMETER_COUNT);
  for (let k = 0; k < Math.min(FACE_PARAMETER_COUNT, steps.length - 1); k++) parameters[k] = steps[k + 1] / SCALE;
  before.index = index + 1;
  before.atMs = atMs + HOP_MS;
  return {
    index,
    atMs,
    isSpeaking: (flags & SPEAKING) !== 0,
    isStarved: (flags & STARVED) !== 0,
    breath: steps[0] / SCALE,
    parameters,
  };
}

function isTimeStep(ms: number): boolean {
  return Number.isInteger(ms) && Math.abs(ms) <= LONGEST_TIME_STEP_MS;
}

function toSteps(value: number): number {
  if (!Number.isFinite(value)) return 0;
  return Math.max(-HIGHEST_STEP, Math.min(HIGHEST_STEP, Math.round(value * SCALE)));
}

class Writer {
  readonly #bytes = new Uint8Array(MAX_MOTION_PACKET_BYTES);
  #length = 0;

  byte(value: number): void {
    if (this.#length === MAX_MOTION_PACKET_BYTES) throw new RangeError("the packet is too long");
    this.#bytes[this.#length++] = value;
  }

  uint32(value: number): void {
    assertUint(value);
    for (let shift = 0; shift < 32; shift += 8) this.byte((value >>> shift) & 0xff);
  }

  varint(value: number): void {
    assertUint(value);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.byte((rest % 0x80) | 0x80);
    this.byte(rest);
  }

  /** Small numbers of both signs. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }
}

/** Every method throws MalformedPacket if the bytes end, or hold a number out of range. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    return this.take(1)[0];
  }

  byteWithin(lowest: number, highest: number): number {
    const value = this.byte();
    if (value < lowest || value > highest) throw new MalformedPacket();
    return value;
  }

  uint32(): number {
    const [a, b, c, d] = this.take(4);
    return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1, byte = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (value > HIGHEST_UINT) throw new MalformedPacket();
    }
    return value;
  }

  signed(highest: number): number {
    const value = this.varint();
    const signed = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    if (Math.abs(signed) > highest) throw new MalformedPacket();
    return signed;
  }

  take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw new MalformedPacket();
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }
}

function assertUint(value: number): void {
  if (!Number.isInteger(value) || value < 0 || value > HIGHEST_UINT) throw new RangeError(`${value} is no uint32`);
}
