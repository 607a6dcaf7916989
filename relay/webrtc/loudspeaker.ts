// What the upstream says, played to the caller in real time: models send their answers faster than they are heard.
import { type AudioFormat, rateOf } from "../../src/conversation/realtime/audio-formats.ts";
import { decodeG711 } from "../../src/signal/audio/g711.ts";
import { joinSamples } from "../../src/signal/audio/join-samples.ts";
import { PcmDecoder } from "../../src/signal/audio/pcm-decoder.ts";
import { Resampler } from "../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../src/signal/audio/samples.ts";
import { EVENT_OVERHEAD_BYTES } from "../paced-socket.ts";

/** Rate of WebRTC's Opus. */
const SPEAKER_RATE_HZ = 48_000;
const FRAME_MS = 10;
const FRAME_SAMPLES = (SPEAKER_RATE_HZ * FRAME_MS) / 1000;
/** Frames are sent in pairs: an Opus packet holds 20 ms. */
const TICK_MS = 20;
/** After a longer pause of the process the clock begins anew, ms. */
const LOST_MS = 200;
/** Above this much waiting audio the upstream is not read, ms: five minutes, 14 MB. */
const FULL_MS = 300_000;
/** Below this it is read again, ms. */
const DRAINED_MS = 240_000;
/** Above this many waiting pieces of audio it is not read either: each takes memory besides its samples. Five minutes
 *  have 15,000 of 20 ms. */
const FULL_PIECES = 20_000;
/** Below this it is read again. */
const DRAINED_PIECES = 16_000;

/** A place in the upstream's answer. */
export interface AnswerPart {
  responseId: string;
  itemId: string;
  contentIndex: number;
}

export interface LoudspeakerOptions {
  /** Takes 10 ms at 48 kHz. It may not keep them. */
  onFrame(samples: Int16Array): void;
  /** The first audio of a response is played. */
  onStarted(responseId: string): void;
  /** All audio of a response was played. */
  onStopped(responseId: string): void;
  /** The queue is short enough again, after `play` has returned false. */
  onDrain(): void;
  /** Monotonic time, ms. Default `performance.now`. */
  now?: () => number;
}

interface Waiting {
  part: AnswerPart;
  samples: Int16Array;
}

/** An answer that was cut off, and how much of its part was heard, ms. */
export interface CutOff {
  part: AnswerPart;
  heardMs: number;
}

export class Loudspeaker {
  readonly #options: LoudspeakerOptions;
  readonly #now: () => number;
  #format: AudioFormat = "pcm16";
  #decoder = new PcmDecoder(1);
  #resampler = new Resampler(rateOf("pcm16"), SPEAKER_RATE_HZ);
  #queue: Waiting[] = [];
  #queuedSamples = 0;
  /** Resampled and not played. */
  #ready: Int16Array = new Int16Array(0);
  /** What is heard now, and how many of its samples were. */
  #heard: { part: AnswerPart; samples: number } | undefined;
  /** The response that is played. */
  #playing: string | undefined;
  /** Its audio is complete. */
  readonly #complete = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #playedMs = 0;
  #startMs = 0;
  #isFull = false;

  constructor(options: LoudspeakerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Plays from now on: silence while nothing is said, because gaps would change the delay of the caller's buffer. */
  start(): void {
    this.#startMs = this.#now();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** What the upstream sends from now on. */
  set format(format: AudioFormat) {
    if (format === this.#format) return;
    this.#format = format;
    this.#decoder = new PcmDecoder(1);
    this.#resampler = new Resampler(rateOf(format), SPEAKER_RATE_HZ);
  }

  /** Queues audio, base64. Returns false if the sender should wait for `onDrain`. */
  play(part: AnswerPart, base64: string): boolean {
    const bytes = Buffer.from(base64, "base64");
    const isPcm = this.#format === "pcm16";
    const samples = isPcm
      ? this.#decoder.push(bytes)
      : decodeG711(bytes, this.#format === "g711_ulaw" ? "ulaw" : "alaw");
    if (samples.length === 0) return !this.#isFull;
    this.#complete.delete(part.responseId);
    this.#queue.push({ part, samples });
    this.#queuedSamples += samples.length;
    this.#isFull ||= this.#waitingMs > FULL_MS || this.#queue.length > FULL_PIECES;
    return !this.#isFull;
  }

  /** No more audio of this response comes. */
  finish(responseId: string): void {
    if (this.#playing !== responseId && !this.#queue.some(({ part }) => part.responseId === responseId)) return;
    this.#complete.add(responseId);
  }

  /** Forgets all audio that was not played. Returns what was cut off; undefined if nothing was. */
  clear(): CutOff | undefined {
    const rate = rateOf(this.#format);
    const heard = this.#heard;
    const first = this.#queue[0];
    const isCut = this.#queue.length > 0 || this.#ready.length > 0;
    this.#queue = [];
    this.#queuedSamples = 0;
    this.#ready = new Int16Array(0);
    this.#resampler = new Resampler(rate, SPEAKER_RATE_HZ);
    this.#decoder = new PcmDecoder(1);
    this.#heard = undefined;
    this.#playing = undefined;
    this.#complete.clear();
    this.#drain();
    const part = heard?.part ?? first?.part;
    if (!isCut || !part) return undefined;
    return { part, heardMs: heard ? Math.round((heard.samples * 1000) / rate) : 0 };
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
    this.#queue = [];
  }

  /** Memory of the waiting audio. */
  get heldBytes(): number {
    return this.#queuedSamples * Int16Array.BYTES_PER_ELEMENT + this.#queue.length * EVENT_OVERHEAD_BYTES;
  }

  get #waitingMs(): number {
    return (this.#queuedSamples * 1000) / rateOf(this.#format);
  }

  #tick(): void {
    const elapsedMs = this.#now() - this.#startMs;
    if (elapsedMs - this.#playedMs > LOST_MS) {
      this.#startMs = this.#now();
      this.#playedMs = -TICK_MS;
    }
    const dueMs = this.#now() - this.#startMs;
    while (this.#playedMs < dueMs) {
      this.#playedMs += FRAME_MS;
      this.#options.onFrame(this.#nextFrame());
    }
    this.#drain();
  }

  #drain(): void {
    if (!this.#isFull || this.#waitingMs > DRAINED_MS || this.#queue.length > DRAINED_PIECES) return;
    this.#isFull = false;
    this.#options.onDrain();
  }

  #nextFrame(): Int16Array {
    while (this.#ready.length < FRAME_SAMPLES && this.#queue.length > 0) this.#resampleNext();
    if (this.#ready.length < FRAME_SAMPLES && this.#heard) this.#endOfQueue();
    const frame = new Int16Array(FRAME_SAMPLES);
    frame.set(this.#ready.subarray(0, FRAME_SAMPLES));
    this.#ready = this.#ready.slice(FRAME_SAMPLES);
    return frame;
  }

  /** Resamples what 10 ms need of the first that waits. */
  #resampleNext(): void {
    const { part, samples } = this.#queue[0];
    const count = Math.min(samples.length, Math.ceil((rateOf(this.#format) * FRAME_MS) / 1000));
    if (this.#playing !== part.responseId) this.#begin(part.responseId);
    if (this.#heard?.part.itemId !== part.itemId || this.#heard.part.contentIndex !== part.contentIndex) {
      this.#heard = { part, samples: 0 };
    }
    this.#heard.samples += count;
    this.#append(this.#resampler.push(toFloatSamples(samples.subarray(0, count))));
    this.#queuedSamples -= count;
    if (count === samples.length) this.#queue.shift();
    else this.#queue[0].samples = samples.subarray(count);
  }

  #begin(responseId: string): void {
    if (this.#playing !== undefined) this.#stopped(this.#playing);
    this.#playing = responseId;
    this.#options.onStarted(responseId);
  }

  /** Nothing waits: the response is over, or its next audio is late. */
  #endOfQueue(): void {
    const playing = this.#playing;
    if (playing === undefined || !this.#complete.has(playing)) return;
    this.#append(this.#resampler.flush());
    if (this.#ready.length >= FRAME_SAMPLES) return;
    this.#heard = undefined;
    this.#playing = undefined;
    this.#stopped(playing);
  }

  #stopped(responseId: string): void {
    this.#complete.delete(responseId);
    this.#options.onStopped(responseId);
  }

  #append(audio: Float32Array): void {
    this.#ready = joinSamples([this.#ready, toInt16Samples(audio)]);
  }
}
