// Speaks a text with a built-in voice, for commands that take text instead of an audio file.
import { type FilmSpeech, speakText as speakWith } from "../../src/film/film-speech.ts";
import { DefaultVoice, type VoiceEngine } from "../../src/voice/default-voice.ts";
import { RemoteVoice } from "../../src/voice/remote/remote-voice.ts";
import type { RemoteVoiceSettings } from "../../src/voice/remote/remote-voice-settings.ts";
import type { SpeechOptions } from "../../src/voice/voice.ts";

/** The whole text as one piece of audio; empty for a text without words. Throws what `Voice.synthesize` throws. */
export async function speakText(
  text: string,
  options: SpeechOptions,
  engine: VoiceEngine,
  remote?: RemoteVoiceSettings,
): Promise<Required<FilmSpeech>> {
  const voice = new DefaultVoice({ engine, remote: remote && new RemoteVoice(remote) });
  try {
    return await speakWith(voice, text, options);
  } finally {
    await voice.close();
  }
}
