// Speaks a text with a voice of the installation, for commands that take text instead of an audio file.
import { type FilmSpeech, speakText as speakWith } from "../../../src/face/film/film-speech.ts";
import type { SpeechOptions } from "../../../src/speech/voice/voice.ts";
import type { Environment } from "../../terminal/environment.ts";
import { installedVoice } from "./installed-voice.ts";

/** The whole text as one piece of audio; empty for a text without words. Throws what `installedVoice` and
 *  `Voice.synthesize` throw. */
export async function speakText(
  environment: Environment,
  text: string,
  options: SpeechOptions,
): Promise<Required<FilmSpeech>> {
  const voice = installedVoice(environment);
  try {
    return await speakWith(voice, text, options);
  } finally {
    await voice.close();
  }
}
