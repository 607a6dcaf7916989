// Runs one audio stream through the network, hop by hop, and returns the speech features of each video frame.
import { LIP_SYNC_HOP_SAMPLES } from "../../../shared/units.ts";
import type { LipSyncNetwork } from "./lip-sync-network.ts";
import { SpeechGate } from "./speech-gate.ts";
import { type LipSyncFrame, LOOK_AHEAD_HOPS, VisemeDecoder } from "./viseme-decoder.ts";

/** Speech features of 40 ms of audio, for mouth and head motion. */
export interface SpeechFeatures extends LipSyncFrame {
  /** Level of the video frame's own 40 ms, dBFS, at least −100. */
  levelDb: number;
  /** Speech rather than silence, hum or noise, 0..1. */
  speech: number;
  /** The audio around the video frame, if the stream keeps it: `AUDIO_HOPS` hops, float32, the video frame's own hop in
   *  the middle. */
  audio?: Float32Array;
}

/** Hops of audio kept with a video frame: the same number before its own hop as after it. */
export const AUDIO_HOPS = 2 * LOOK_AHEAD_HOPS + 1;

/** Lip sync of one stream. The push of hop n + LOOK_AHEAD_HOPS returns the video frame of hop n. */
export class LipSyncStream {
  readonly #network: LipSyncNetwork;
  readonly #decoder = new VisemeDecoder();
  readonly #gate = new SpeechGate();
  /** The last hops, oldest first; null if the stream does not keep them. */
  readonly #audio: Float32Array | null;

  /** `keepsAudio`: for avatars with a mouth rendered from audio. Default false. */
  constructor(network: LipSyncNetwork, options: { keepsAudio?: boolean } = {}) {
    this.#network = network;
    this.#audio = options.keepsAudio ? new Float32Array(AUDIO_HOPS * LIP_SYNC_HOP_SAMPLES) : null;
  }

  /** Processes the next hop (float32 [640], 16 kHz); returns the video frame that it completes, or null at the
   *  beginning. Calls must not overlap. */
  async push(hop: Float32Array): Promise<SpeechFeatures | null> {
    this.#gate.push(hop);
    const frame = this.#decoder.push(await this.#network.run(hop));
    this.#audio?.copyWithin(0, LIP_SYNC_HOP_SAMPLES);
    this.#audio?.set(hop, (AUDIO_HOPS - 1) * LIP_SYNC_HOP_SAMPLES);
    if (!frame) return null;
    const { visemes, closurePeak, closureMean } = frame;
    const { levelDb, speech } = this.#gate.at(LOOK_AHEAD_HOPS);
    return { visemes, closurePeak, closureMean, levelDb, speech, audio: this.#audio?.slice() };
  }

  /** Completes the last video frames, as if silence followed, and begins a new stream. */
  async flush(): Promise<SpeechFeatures[]> {
    const frames: SpeechFeatures[] = [];
    const silence = new Float32Array(LIP_SYNC_HOP_SAMPLES);
    for (let hop = 0; hop < LOOK_AHEAD_HOPS; hop++) {
      const frame = await this.push(silence);
      if (frame) frames.push(frame);
    }
    this.reset();
    return frames;
  }

  /** Resets the stream. Do not call it during `push`. */
  reset(): void {
    this.#network.reset();
    this.#decoder.reset();
    this.#gate.reset();
    this.#audio?.fill(0);
  }
}
