// The audio of a stream that is spoken now, such as a call's answer, as a face says it.
import type { SegmentInput } from "../../../../src/face/engine/engine.ts";
import { audioLevel } from "./audio-level.ts";
import type { FacePlayer } from "./face-player.ts";
import { tapAudio } from "./tap-audio.ts";

const PIECE_MS = 20;
/** Pieces before the first loud one that belong to speech: quiet beginnings of words. */
const PIECES_BEFORE = 5;
/** Quiet pieces after which speech has ended. Each utterance begins anew, so a delay does not last. */
const PIECES_AFTER = 600 / PIECE_MS;
/** Level above which a piece is speech. */
const SPEECH_LEVEL = 0.02;

export class FollowedStream {
  readonly #player: FacePlayer;
  readonly #element = new Audio();
  readonly #source: MediaStreamAudioSourceNode;
  readonly #direct: GainNode;
  #untap: (() => void) | undefined;
  #segment: SegmentInput | undefined;
  #before: Int16Array[] = [];
  #quietPieces = 0;
  #isClosed = false;
  /** Resolves when it is closed. */
  readonly closed: Promise<void>;
  #onClosed = (): void => undefined;

  private constructor(stream: MediaStream, audio: AudioContext, player: FacePlayer) {
    this.#player = player;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    // Chromium passes the audio of a call on to Web Audio only while a media element plays it too.
    this.#element.srcObject = stream;
    this.#element.muted = true;
    this.#source = audio.createMediaStreamSource(stream);
    this.#direct = new GainNode(audio, { gain: 0 });
    this.#source.connect(this.#direct).connect(audio.destination);
  }

  /** Rejects if the browser cannot read the stream. */
  static async open(
    stream: MediaStream,
    audio: AudioContext,
    player: FacePlayer,
    worklet?: URL,
  ): Promise<FollowedStream> {
    const followed = new FollowedStream(stream, audio, player);
    try {
      followed.#untap = await tapAudio(followed.#source, (samples) => followed.#take(samples), worklet);
    } catch (error) {
      followed.close();
      throw error;
    }
    document.addEventListener("visibilitychange", followed.#followVisibility);
    followed.#followVisibility();
    return followed;
  }

  /** Drops what has arrived and was not heard yet; what arrives from now on is said. */
  interrupt(): void {
    this.#segment = undefined;
    this.#before = [];
    this.#player.clear();
  }

  /** Ends it; the stream stays the caller's. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    document.removeEventListener("visibilitychange", this.#followVisibility);
    this.#untap?.();
    this.#source.disconnect();
    this.#direct.disconnect();
    this.#element.srcObject = null;
    this.#endSegment();
    this.#onClosed();
  }

  #take(samples: Int16Array): void {
    if (document.hidden) return;
    const isSpeech = audioLevel(samples) > SPEECH_LEVEL;
    this.#quietPieces = isSpeech ? 0 : this.#quietPieces + 1;
    if (isSpeech && !this.#segment) {
      this.#segment = this.#player.speech();
      for (const piece of this.#before) this.#segment.push(piece);
      this.#before = [];
    }
    if (this.#segment) {
      this.#segment.push(samples);
      if (this.#quietPieces >= PIECES_AFTER) this.#endSegment();
      return;
    }
    this.#before.push(samples);
    if (this.#before.length > PIECES_BEFORE) this.#before.shift();
  }

  #endSegment(): void {
    this.#segment?.end();
    this.#segment = undefined;
  }

  /** A hidden tab is too slow to put audio together. */
  #followVisibility = (): void => {
    this.#direct.gain.value = document.hidden ? 1 : 0;
    if (!document.hidden) return;
    this.interrupt();
  };
}
