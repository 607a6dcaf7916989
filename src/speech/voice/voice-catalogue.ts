// The ten built-in voices, with synthesizer settings.

/** How eSpeak NG makes one voice: a variant file of its own and settings on its scales (0–100, 50 is neutral). */
export interface VoiceSettings {
  name: string;
  variant: string;
  pitch: number;
  /** How much the pitch moves: 0 is a monotone. */
  range: number;
  /** Tempo of this voice against the others. */
  tempo: number;
}

/** The contract's voice ids. Measured median pitch: M 82–118 Hz, F 175–235 Hz. */
export const VOICES = Object.freeze({
  M1: { name: "Alex", variant: "m3", pitch: 46, range: 58, tempo: 1 },
  M2: { name: "Leo", variant: "m1", pitch: 52, range: 62, tempo: 1.04 },
  M3: { name: "Theo", variant: "m7", pitch: 40, range: 50, tempo: 0.95 },
  M4: { name: "Kai", variant: "m2", pitch: 62, range: 66, tempo: 1.06 },
  M5: { name: "Max", variant: "m6", pitch: 36, range: 54, tempo: 0.98 },
  F1: { name: "Aria", variant: "f2", pitch: 50, range: 56, tempo: 1 },
  F2: { name: "Sophie", variant: "f1", pitch: 54, range: 60, tempo: 0.98 },
  F3: { name: "Maya", variant: "f3", pitch: 46, range: 52, tempo: 1.02 },
  F4: { name: "Luna", variant: "f4", pitch: 58, range: 64, tempo: 0.96 },
  F5: { name: "Zoe", variant: "f3", pitch: 60, range: 68, tempo: 1.06 },
} satisfies Record<string, VoiceSettings>);

export type VoiceId = keyof typeof VOICES;

export const VOICE_IDS = Object.freeze(Object.keys(VOICES) as VoiceId[]);
export const DEFAULT_VOICE_ID: VoiceId = "M1";

/** True for one of the built-in voices; narrows the type. */
export function isVoiceId(value: string): value is VoiceId {
  return Object.hasOwn(VOICES, value);
}
