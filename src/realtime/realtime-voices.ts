// Voices by the names that clients of OpenAI's protocol send.
import { isSpeakableVoice } from "../voice/shaping/shaped-speech.ts";
import type { VoiceId } from "../voice/voice-catalogue.ts";

/** Each of OpenAI's voices stands for one of ours. */
const NAMES: Readonly<Record<string, VoiceId>> = {
  alloy: "F1",
  ash: "M1",
  ballad: "M2",
  cedar: "M3",
  coral: "F2",
  echo: "M4",
  marin: "F3",
  sage: "F4",
  shimmer: "F5",
  verse: "M5",
};

/** The id of a voice for a name, one of our ids, or the code of a designed voice; undefined if no voice has it. */
export function realtimeVoice(name: string): string | undefined {
  const known = Object.hasOwn(NAMES, name) ? NAMES[name] : name;
  return isSpeakableVoice(known) ? known : undefined;
}
