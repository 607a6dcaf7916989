// The voices that a visitor can choose.
import { VOICE_IDS, VOICES, type VoiceId } from "../../src/speech/voice/voice-catalogue.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";
import type { VoiceChoice } from "./voice-picker.ts";

/** Shown first: three that are easy to tell apart. */
const FIRST: readonly VoiceId[] = ["F1", "M1", "F4"];

/** Three voices, or all of them with those first. */
export function voiceChoices(
  { woman, man }: Pick<CreateTexts["order"], "woman" | "man">,
  { areAll }: { areAll: boolean },
): VoiceChoice[] {
  const ids = areAll ? [...FIRST, ...VOICE_IDS.filter((id) => !FIRST.includes(id))] : FIRST;
  return ids.map((id) => ({ id, label: (id.startsWith("F") ? woman : man)(VOICES[id].name) }));
}
