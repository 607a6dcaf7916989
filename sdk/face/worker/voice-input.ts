// Cuts a voice into utterances for the engine. Each begins anew, so that its frames keep to the audio clock.
import type { SegmentInput } from "../../../src/face/engine/engine.ts";
import { toInt16Samples } from "../../../src/signal/audio/samples.ts";
import type { VoicePiece } from "../face-messages.ts";

/** Pieces before the first loud one that belong to an utterance: quiet beginnings of words. */
const PIECES_BEFORE = 10;
/** Quiet pieces after which an utterance has ended. */
const PIECES_AFTER = 60;
/** Root mean square above which a piece may be speech: -50 dB. What speech is, lip sync knows. */
const LEAST_LEVEL = 0.003;
/** Without pieces for so long, the voice has gone. */
const GAP_MS = 200;

export class VoiceInput {
  readonly #rateHz: number;
  readonly #open: (fromS: number) => SegmentInput;
  #segment: SegmentInput | undefined;
  #before: VoicePiece[] = [];
  #quietPieces = 0;
  #nextSample = 0;
  #arrivedMs = 0;

  /** `open` begins an utterance; its first sample is at second `fromS` of the audio clock. */
  constructor(rateHz: number, open: (fromS: number) => SegmentInput) {
    this.#rateHz = rateHz;
    this.#open = open;
  }

  take(piece: VoicePiece): void {
    if (piece.atSample !== this.#nextSample) this.end();
    this.#nextSample = piece.atSample + piece.samples.length;
    this.#arrivedMs = performance.now();
    const isLoud = levelOf(piece.samples) > LEAST_LEVEL;
    this.#quietPieces = isLoud ? 0 : this.#quietPieces + 1;
    this.#before.push(piece);
    if (isLoud) this.#segment ??= this.#open(this.#before[0].atSample / this.#rateHz);
    if (!this.#segment) {
      if (this.#before.length > PIECES_BEFORE) this.#before.shift();
      return;
    }
    for (const { samples } of this.#before) this.#segment.push(toInt16Samples(samples));
    this.#before = [];
    if (this.#quietPieces >= PIECES_AFTER) this.end();
  }

  /** Ends an utterance after its audio stopped coming. */
  endIfGone(): void {
    if (this.#segment && performance.now() - this.#arrivedMs > GAP_MS) this.end();
  }

  end(): void {
    this.#segment?.end();
    this.#segment = undefined;
    this.#before = [];
  }
}

function levelOf(samples: Float32Array): number {
  let squares = 0;
  for (const sample of samples) squares += sample * sample;
  return Math.sqrt(squares / samples.length);
}
