// A caller's microphone as events for the upstream.
import { type AudioFormat, AudioWriter } from "../../src/conversation/realtime/audio-formats.ts";
import { mixDownInt16 } from "../../src/signal/audio/samples.ts";
import type { AudioData } from "./load-wrtc.ts";

/** Audio in one event, ms: what an Opus packet holds. Longer events would be late, shorter ones cost more. */
const EVENT_MS = 20;

export interface MicrophoneOptions {
  /** Takes an `input_audio_buffer.append`. */
  onEvent(event: string): void;
}

export class Microphone {
  readonly #options: MicrophoneOptions;
  #format: AudioFormat = "pcm16";
  #writer = new AudioWriter("pcm16");
  #parts: Uint8Array[] = [];
  #heldMs = 0;

  constructor(options: MicrophoneOptions) {
    this.#options = options;
  }

  /** What the upstream takes from now on. */
  set format(format: AudioFormat) {
    if (format === this.#format) return;
    this.#format = format;
    this.#writer = new AudioWriter(format);
    this.#parts = [];
    this.#heldMs = 0;
  }

  /** Takes audio of any rate. */
  push({ samples, sampleRate, channelCount }: AudioData): void {
    const mono = mixDownInt16(samples, channelCount);
    this.#parts.push(this.#writer.write(mono, sampleRate));
    this.#heldMs += (mono.length * 1000) / sampleRate;
    if (this.#heldMs < EVENT_MS) return;
    const audio = Buffer.concat(this.#parts).toString("base64");
    this.#parts = [];
    this.#heldMs = 0;
    if (audio !== "") this.#options.onEvent(`{"type":"input_audio_buffer.append","audio":"${audio}"}`);
  }
}
