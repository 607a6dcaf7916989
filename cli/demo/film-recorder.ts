// Turns what a listener received into a film of constant frame rate. The previous frame stands in for a late one; audio
// keeps its time.
import { FRAME_RATE_FPS, HOP_MS, PLAYOUT_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";
import { Mp4Writer } from "../../src/signal/media/mp4-writer.ts";
import type { HeardAudio, SeenFrame } from "./avatar-listener.ts";

export interface FilmMetrics {
  durationS: number;
  /** Frames received, and 40 ms steps in which the previous frame was repeated. */
  receivedFrames: number;
  repeatedFrames: number;
}

const HOP_SAMPLES = (PLAYOUT_SAMPLE_RATE_HZ * HOP_MS) / 1000;
/** Audio that arrives later than this after its place is a gap, not jitter. */
const GAP_MS = 200;

/** Starts with the first frame, which sets the size; frames of another size are dropped. */
export class FilmRecorder {
  readonly #path: string;
  #writer: Mp4Writer | null = null;
  #beganAtMs = 0;
  /** `streamMs` + this = time since the beginning. Set by the first frame. */
  #streamOffsetMs = 0;
  #lastFrame: I420Frame | null = null;
  #writtenFrames = 0;
  #writtenSamples = 0;
  #receivedFrames = 0;
  #repeatedFrames = 0;
  /** Writes happen one after the other, while frames keep arriving. */
  #turn: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  addFrame({ frame, atMs, streamMs }: SeenFrame): void {
    const { widthPx, heightPx } = frame;
    if (!this.#writer) {
      this.#writer = Mp4Writer.open(this.#path, {
        widthPx,
        heightPx,
        frameRateFps: FRAME_RATE_FPS,
        sampleRateHz: PLAYOUT_SAMPLE_RATE_HZ,
      });
      this.#beganAtMs = atMs;
      this.#streamOffsetMs = -streamMs;
    }
    if (this.#lastFrame && this.#lastFrame.data.length !== frame.data.length) return;
    this.#receivedFrames += 1;
    const place = Math.round((streamMs + this.#streamOffsetMs) / HOP_MS);
    this.#repeatUntil(place);
    const copy = { ...frame, data: frame.data.slice() };
    if (place >= this.#writtenFrames) this.#write(copy);
    this.#lastFrame = copy;
  }

  addAudio({ samples, atMs }: HeardAudio): void {
    if (!this.#writer) return;
    const place = Math.round(((atMs - this.#beganAtMs) / 1000) * PLAYOUT_SAMPLE_RATE_HZ);
    const missing = place - this.#writtenSamples;
    if (missing > (GAP_MS / 1000) * PLAYOUT_SAMPLE_RATE_HZ || this.#writtenSamples === 0) {
      this.#writeAudio(new Int16Array(Math.max(0, missing)));
    }
    this.#writeAudio(samples.slice());
  }

  /** Completes the film; audio is cut or padded to the length of the video. Throws when nothing arrived or the encoder
   *  failed. */
  async finish(): Promise<FilmMetrics> {
    const writer = this.#writer;
    if (!writer) throw new Error("no frame arrived");
    this.#repeatUntil(Math.floor(this.#writtenSamples / HOP_SAMPLES));
    this.#writeAudio(new Int16Array(Math.max(0, this.#writtenFrames * HOP_SAMPLES - this.#writtenSamples)));
    await this.#turn;
    await writer.finish();
    return {
      durationS: this.#writtenFrames / FRAME_RATE_FPS,
      receivedFrames: this.#receivedFrames,
      repeatedFrames: this.#repeatedFrames,
    };
  }

  /** Aborts and removes the file. Idempotent. */
  async abort(): Promise<void> {
    await this.#turn.catch(() => {}); // The caller has the error already, or has aborted.
    await this.#writer?.abort();
  }

  #repeatUntil(place: number): void {
    while (this.#lastFrame && this.#writtenFrames < place) {
      this.#repeatedFrames += 1;
      this.#write(this.#lastFrame);
    }
  }

  #write(frame: I420Frame): void {
    this.#writtenFrames += 1;
    this.#inTurn((writer) => writer.writeFrame(frame));
  }

  #writeAudio(samples: Int16Array): void {
    if (samples.length === 0) return;
    this.#writtenSamples += samples.length;
    this.#inTurn((writer) => writer.writeAudio(samples));
  }

  #inTurn(work: (writer: Mp4Writer) => Promise<void>): void {
    const writer = this.#writer;
    if (!writer) return;
    this.#turn = this.#turn.then(() => work(writer));
    // `finish` awaits the turn and throws; until then the rejection is expected.
    this.#turn.catch(() => {});
  }
}
