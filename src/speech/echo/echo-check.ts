// Keeps the avatar from hearing itself: takes its echo out of a microphone, and says whether anything else was there.
import { createSpectrum, RealTransform } from "../../signal/math/real-transform.ts";
import { BlockQueue } from "./block-queue.ts";
import { BINS, BLOCK_SAMPLES, FRAME_SAMPLES, SAMPLES_PER_MS } from "./blocks.ts";
import { EchoFilter } from "./echo-filter.ts";
import { Excess } from "./excess.ts";
import { LagFinder } from "./lag-finder.ts";
import { LagLock } from "./lag-lock.ts";
import { Likeness } from "./likeness.ts";
import { MicrophoneClock } from "./microphone-clock.ts";
import { PersonGate } from "./person-gate.ts";
import { ReferenceLine } from "./reference-line.ts";
import { ReferenceSpectra } from "./reference-spectra.ts";
import { SmearedReference } from "./smeared-reference.ts";

export interface EchoResult {
  /** As long as the block that was heard, without the echo: silence while nothing but echo is heard. The input itself
   *  while the avatar is silent; otherwise a view of one buffer, valid until the next call. */
  samples: Int16Array;
  /** Whether the block held nothing but the avatar's echo, or silence, while the avatar could be heard. */
  isEcho: boolean;
}

/** Echoes come back within 800 ms and have faded 700 ms later. */
const IDLE_SAMPLES = 1500 * SAMPLES_PER_MS;
/** Lags in blocks: 20 to 900 ms are compared. */
const FIRST_LAG = 2;
const LAGS = 90;
/** The filter reaches 280 ms beyond its lag. */
const KEPT_FRAMES = LAGS + 32;
/** Echo is believed to be at most this much louder than what was played, until it is heard. */
const FIRST_COUPLING_DB = 6;
/** Blocks of the filter before the lag that was found. */
const LEAD = 2;
/** Samples that are not louder are silence: −60 dB. */
const SILENT = 32;

/** One microphone and one avatar. Audio is mono, 16 kHz. Takes 1.5 % of a core while the avatar is heard, nothing
 *  otherwise. */
export class EchoCheck {
  readonly #line = new ReferenceLine();
  readonly #clock = new MicrophoneClock();
  readonly #spectra = new ReferenceSpectra(KEPT_FRAMES);
  readonly #finder = new LagFinder(LAGS);
  readonly #lock = new LagLock(this.#finder);
  readonly #filter = new EchoFilter();
  readonly #nearby = new SmearedReference();
  readonly #microphoneExcess = new Excess(FIRST_COUPLING_DB);
  readonly #restExcess = new Excess(FIRST_COUPLING_DB);
  readonly #likeness = new Likeness();
  readonly #gate = new PersonGate();
  readonly #transform = new RealTransform(FRAME_SAMPLES);
  readonly #spectrum = createSpectrum(FRAME_SAMPLES);
  /** The latest two blocks of the microphone, then silence and the latest one. */
  readonly #frame = new Float64Array(FRAME_SAMPLES);
  readonly #padded = new Float64Array(FRAME_SAMPLES);
  readonly #power = new Float64Array(BINS);
  readonly #block = new Float64Array(BLOCK_SAMPLES);
  readonly #rest = new Float64Array(BLOCK_SAMPLES);
  readonly #queue = new BlockQueue();
  #lastSound = Number.NEGATIVE_INFINITY;
  #isActive = false;
  /** Of the last sample, 0 to 1. */
  #gain = 0;
  #place = 0;

  /** Whether the microphone is known to hear the avatar. */
  get hasEcho(): boolean {
    return this.#isActive && this.#lock.lag !== undefined;
  }

  /** Takes what the engine put out. `atMs`: when its first sample leaves the audio queue. It may come ahead of time, by
   *  six seconds at most. */
  played(samples: Int16Array, atMs: number): void {
    const place = Math.round(atMs * SAMPLES_PER_MS);
    this.#line.write(samples, place);
    for (let i = samples.length - 1; i >= 0; i--) {
      if (Math.abs(samples[i]) <= SILENT) continue;
      this.#lastSound = Math.max(this.#lastSound, place + i);
      break;
    }
  }

  /** Forgets what was to be played from a time on. */
  cleared(atMs: number): void {
    const place = Math.round(atMs * SAMPLES_PER_MS);
    this.#line.cut(place);
    this.#lastSound = Math.min(this.#lastSound, place);
  }

  /** Takes the next block of the microphone, 10 to 40 ms long; other lengths than whole 10 ms are delayed by up to 10
   *  ms. `atMs`: when it arrived, on the clock of `played`. */
  pushAudio(samples: Int16Array, atMs: number): EchoResult {
    const place = this.#clock.push(samples.length, atMs);
    if (place - this.#lastSound > IDLE_SAMPLES) {
      this.#isActive = false;
      return { samples, isEcho: false };
    }
    if (!this.#isActive || this.#clock.hasJumped) this.#resume(place);
    let isEcho = true;
    this.#queue.push(samples);
    while (this.#queue.take(this.#block)) {
      this.#process();
      if (this.#gate.isOpen) isEcho = false;
      this.#queue.give(this.#rest);
    }
    return { samples: this.#queue.pop(samples.length), isEcho };
  }

  /** Goes on at a place after silence, or after a gap. */
  #resume(place: number): void {
    if (!this.#isActive) {
      this.#queue.reset();
      // A person who talks goes on talking: nothing of the avatar has come back yet.
      this.#gate.open();
      this.#gain = 1;
    }
    this.#isActive = true;
    this.#place = place - this.#queue.waiting;
    this.#spectra.rebuild(this.#line, this.#place - BLOCK_SAMPLES - FIRST_LAG * BLOCK_SAMPLES);
  }

  /** Replaces `#rest` by what is left of `#block`. */
  #process(): void {
    this.#spectra.advance(this.#line, this.#place - FIRST_LAG * BLOCK_SAMPLES);
    this.#place += BLOCK_SAMPLES;
    this.#frame.copyWithin(0, BLOCK_SAMPLES);
    this.#frame.set(this.#block, BLOCK_SAMPLES);
    this.#padded.set(this.#block, BLOCK_SAMPLES);
    this.#transform.forward(this.#padded, this.#spectrum);
    const { real, imaginary } = this.#spectrum;
    for (let k = 0; k < BINS; k++) this.#power[k] = real[k] * real[k] + imaginary[k] * imaginary[k];
    this.#transform.forward(this.#frame, this.#spectrum);
    const isNew = this.#finder.push(this.#spectrum, this.#spectra);
    if (isNew && this.#lock.update(this.#microphoneExcess.isSounding)) {
      this.#filter.reset();
      this.#restExcess.restart(this.#microphoneExcess);
      this.#microphoneExcess.restart(this.#microphoneExcess);
      // What seemed a person was the echo at its new lag. A person is heard again 50 ms later.
      this.#gate.close();
    }
    this.#judge();
    this.#fade();
  }

  #judge(): void {
    const { lag } = this.#lock;
    const moment = { isPerson: this.#gate.isOpen, isLagKnown: lag !== undefined };
    if (lag === undefined) {
      this.#rest.set(this.#block);
      this.#nearby.push(this.#spectra, 0, LAGS - 1);
    } else {
      this.#filter.process(this.#block, this.#spectra, Math.max(0, lag - LEAD), this.#rest);
      this.#nearby.push(this.#spectra, Math.max(0, lag - 1), lag + 1);
    }
    this.#likeness.push(this.#block, this.#rest);
    const microphoneDb = this.#microphoneExcess.judge(this.#power, this.#nearby, moment);
    const restPower = lag === undefined ? this.#power : this.#filter.restPower;
    const restDb = this.#restExcess.judge(restPower, this.#nearby, moment);
    const { isContradicted, isLonely } = this.#lock;
    this.#gate.push({ restDb, microphoneDb, likeness: this.#likeness.value, isContradicted, isLonely });
  }

  /** Silences what is echo. */
  #fade(): void {
    const step = ((this.#gate.isOpen ? 1 : 0) - this.#gain) / BLOCK_SAMPLES;
    if (step === 0 && this.#gain === 1) return;
    for (let i = 0; i < BLOCK_SAMPLES; i++) this.#rest[i] *= this.#gain + step * (i + 1);
    this.#gain += step * BLOCK_SAMPLES;
  }
}
