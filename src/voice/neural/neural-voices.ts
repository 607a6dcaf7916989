// The style table of each voice of the catalogue.
import type { VoiceId } from "../voice-catalogue.ts";

/** By measured pitch and by the grade of the network's author: models/voice/README.md. */
export const NEURAL_VOICES: Readonly<Record<VoiceId, string>> = Object.freeze({
  M1: "am_michael",
  M2: "am_puck",
  M3: "am_fenrir",
  M4: "bm_george",
  M5: "bm_fable",
  F1: "af_heart",
  F2: "af_bella",
  F3: "bf_emma",
  F4: "af_kore",
  F5: "af_aoede",
});
