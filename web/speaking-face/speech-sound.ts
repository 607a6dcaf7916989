// The speech as sound, through the page's audio context: policies of hosts say nothing about that.
import { pageAudio } from "../../sdk/face/page-audio.ts";
import { fromBase64 } from "../../shared/from-base64.ts";

/** Longest that a browser takes to let audio play after a tap, ms. */
const RESUME_MS = 3_000;
/** Silence before the first word: the face begins to follow the audio. */
const LEAD_S = 0.4;

/** The browser lets nothing play before the person taps. */
export class SoundBlocked extends Error {
  override name = "SoundBlocked";
}

export class SpeechSound {
  readonly #buffer: AudioBuffer;
  readonly #outlet: AudioNode;
  #source: AudioBufferSourceNode | undefined;

  /** `outlet`: what the sound goes to. */
  constructor(buffer: AudioBuffer, outlet: AudioNode) {
    this.#buffer = buffer;
    this.#outlet = outlet;
  }

  /** Plays from the start; call it from a tap. Resolves at the end, or when it is stopped. Rejects with
   *  SoundBlocked. */
  async play(): Promise<void> {
    this.stop();
    await wake();
    const context = pageAudio();
    const source = new AudioBufferSourceNode(context, { buffer: this.#buffer });
    this.#source = source;
    source.connect(this.#outlet);
    const ended = new Promise<void>((resolve) => source.addEventListener("ended", () => resolve(), { once: true }));
    source.start(context.currentTime + LEAD_S);
    await ended;
    source.disconnect();
  }

  stop(): void {
    this.#source?.stop();
    this.#source = undefined;
  }
}

/** Decodes a recording of any kind that the browser reads. Rejects with its reason. */
export function decodeSpeech(base64: string): Promise<AudioBuffer> {
  return pageAudio().decodeAudioData(fromBase64(base64).buffer);
}

async function wake(): Promise<void> {
  const context = pageAudio();
  if (context.state === "running") return;
  // Without a tap it would wait for one.
  await Promise.race([context.resume(), new Promise((resolve) => setTimeout(resolve, RESUME_MS))]);
  if (pageAudio().state !== "running") throw new SoundBlocked("The browser blocks the sound.");
}
