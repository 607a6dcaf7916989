// Speaks the text of a film with the api's voice, so that the film's own process needs no voice and no key of one.
import { EngineError } from "../../../shared/engine-error.ts";
import { type FilmSpeech, secondsOf, speakText } from "../../../src/face/film/film-speech.ts";
import type { Voice } from "../../../src/speech/voice/voice.ts";
import { MAX_VIDEO_SECONDS } from "../video.ts";

export interface FilmText {
  text: string;
  voiceId: string;
  language: string;
}

/** The spoken text. Throws EngineError: invalid-input for a text without words, too-large for one that takes longer
 *  than `MAX_VIDEO_SECONDS`; the errors of the voice; the signal's reason. */
export async function speakFilmText(
  voice: Voice,
  { text, ...options }: FilmText,
  signal: AbortSignal,
): Promise<FilmSpeech> {
  const spoken = await speakText(voice, text, options, { maxSeconds: MAX_VIDEO_SECONDS, signal });
  if (spoken.audio.samples.length === 0) throw new EngineError("invalid-input", "The text has no words to speak.");
  if (secondsOf(spoken.audio) > MAX_VIDEO_SECONDS) {
    throw new EngineError("too-large", `The text takes longer than ${MAX_VIDEO_SECONDS} seconds to speak. Shorten it.`);
  }
  return spoken;
}
