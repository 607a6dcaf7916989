// Speaks the lines of a page with a voice of this computer, one after the other.
import { parseConfig } from "../../../program/config.ts";
import { speakText } from "../../../src/face/film/film-speech.ts";
import { writeWav } from "../../../src/signal/audio/wav.ts";
import type { Voice } from "../../../src/speech/voice/voice.ts";
import type { Environment } from "../../terminal/environment.ts";

export class LineSpeaker {
  readonly #environment: Environment;
  #voice: Promise<Voice> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** The line as a WAV file. Throws what `installedVoice` and `Voice.synthesize` throw. */
  speak(text: string, voiceId: string): Promise<Uint8Array> {
    const spoken = this.#last.then(async () => {
      this.#voice ??= this.#open();
      const voice = await this.#voice.catch((error: unknown) => {
        // The next line tries again.
        this.#voice = undefined;
        throw error;
      });
      const { audio } = await speakText(voice, text, { voiceId });
      return writeWav(audio);
    });
    this.#last = spoken.catch(() => undefined);
    return spoken;
  }

  /** Ends the voice's process. */
  async close(): Promise<void> {
    await (await this.#voice?.catch(() => undefined))?.close();
  }

  /** Loaded with the first line: many pages only follow a recording or a microphone. */
  async #open(): Promise<Voice> {
    const [{ installedVoice }, { needParts }] = await Promise.all([
      import("../voices/installed-voice.ts"),
      import("../parts/need-parts.ts"),
    ]);
    // The voice speaks in a process of its own.
    if (parseConfig(this.#environment, ["voice"]).voice.engine === "neural") {
      await needParts(this.#environment, "model-voice");
    }
    return installedVoice(this.#environment);
  }
}
