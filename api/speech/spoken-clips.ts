// Short recordings of fixed texts, which pages play: made once by the service's voice, then kept in storage.
import { createHash } from "node:crypto";
import type { Config } from "../../program/config.ts";
import { isServiceError } from "../../shared/errors.ts";
import type { ObjectStorage } from "../kernel/storage/object-storage.ts";
import { speak } from "./speak.ts";
import { wavFile } from "./speech-answers.ts";
import type { SpeechServices } from "./speech-services.ts";

/** As the neural voice speaks. */
const CLIP_RATE_HZ = 24_000;
/** For the bounds of speech. */
const OWNER = "clips";
/** The neural voice takes two seconds to load, and as long for a sentence on a busy machine. */
const TIMEOUT_MS = 20_000;
const KEY_CHARACTERS = 32;

/** What is said. The code names all texts, so that their number is bounded. */
export interface Clip {
  /** A voice of the catalogue, or one that the operator has fetched. */
  voiceId: string;
  /** English, one or two sentences. */
  text: string;
}

export interface SpokenClipsOptions {
  services: SpeechServices;
  storage: ObjectStorage;
  /** The voice's settings: another voice makes other clips. */
  voice: Config["voice"];
}

export class SpokenClips {
  readonly #options: SpokenClipsOptions;
  readonly #making = new Map<string, Promise<Uint8Array>>();

  constructor(options: SpokenClipsOptions) {
    this.#options = options;
  }

  /** Names a clip: text, voice and what speaks. */
  idOf({ voiceId, text }: Clip): string {
    const { engine, remote } = this.#options.voice;
    const speaker = [engine, remote?.baseUrl.toString(), remote?.model, remote?.names[voiceId]];
    const digest = createHash("sha256")
      .update(JSON.stringify([...speaker, voiceId, text]))
      .digest("hex");
    return digest.slice(0, KEY_CHARACTERS);
  }

  /** A WAV file, mono, 24 kHz. Throws as `speak`. */
  async get(clip: Clip): Promise<Uint8Array> {
    const key = `clips/${this.idOf(clip)}.wav`;
    try {
      return await this.#options.storage.readAll(key);
    } catch (error) {
      if (!(isServiceError(error) && error.code === "NOT_FOUND")) throw error;
    }
    const making = this.#making.get(key) ?? this.#make(key, clip);
    this.#making.set(key, making);
    try {
      return await making;
    } finally {
      this.#making.delete(key);
    }
  }

  async #make(key: string, { voiceId, text }: Clip): Promise<Uint8Array> {
    const { services, storage } = this.#options;
    const speech = { text, options: { voiceId }, sampleRateHz: CLIP_RATE_HZ };
    const spoken = await speak(services, OWNER, speech, AbortSignal.timeout(TIMEOUT_MS));
    const wav = await wavFile(spoken, CLIP_RATE_HZ);
    await storage.put(key, wav);
    return wav;
  }
}
