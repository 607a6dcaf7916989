// Speaks a text with a voice of the installation, for commands that take text instead of an audio file.
import { parseConfig } from "../../../program/config.ts";
import { type FilmSpeech, speakText as speakWith } from "../../../src/face/film/film-speech.ts";
import type { SpeechOptions } from "../../../src/speech/voice/voice.ts";
import type { Environment } from "../../terminal/environment.ts";
import { needParts } from "../parts/need-parts.ts";
import { installedVoice } from "./installed-voice.ts";

/** The whole text as one piece of audio; empty for a text without words. Throws what `needParts`,
 *  `installedVoice` and `Voice.synthesize` throw, and the signal's reason. */
export async function speakText(
  environment: Environment,
  text: string,
  options: SpeechOptions,
  signal?: AbortSignal,
): Promise<Required<FilmSpeech>> {
  // The voice speaks in a process of its own.
  if (parseConfig(environment, ["voice"]).voice.engine === "neural") await needParts(environment, "model-voice");
  signal?.throwIfAborted();
  const voice = installedVoice(environment);
  // A long text takes minutes.
  const stop = () => void voice.close();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    return await speakWith(voice, text, options);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    await voice.close();
  }
}
