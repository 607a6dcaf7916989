// Voices by the names that clients of OpenAI's protocol send, for realtime sessions and for /v1/audio/speech.
import { isSpeakableVoice } from "../../speech/voice/shaping/shaped-speech.ts";
import type { VoiceId } from "../../speech/voice/voice-catalogue.ts";

/** Each of OpenAI's voices stands for one of ours. */
const NAMES: Readonly<Record<string, VoiceId>> = {
  alloy: "F1",
  ash: "M1",
  ballad: "M2",
  cedar: "M3",
  coral: "F2",
  echo: "M4",
  fable: "M2",
  marin: "F3",
  nova: "F2",
  onyx: "M5",
  sage: "F4",
  shimmer: "F5",
  verse: "M5",
};

/** Our voice for one of OpenAI's names; undefined for any other name. */
export function voiceOfOpenAi(name: string): VoiceId | undefined {
  return Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
}

/** The id of a voice for a name, one of our ids, or the code of a designed voice; undefined if no voice has it. */
export function realtimeVoice(name: string): string | undefined {
  const known = voiceOfOpenAi(name) ?? name;
  return isSpeakableVoice(known) ? known : undefined;
}
