// Checks how a text is to be spoken, and adds the defaults.
import { EngineError } from "../../../shared/engine-error.ts";
import { DEFAULT_LANGUAGE } from "../languages/languages.ts";
import type { SpeechOptions } from "./voice.ts";
import { DEFAULT_VOICE_ID, isVoiceId, VOICE_IDS, type VoiceId } from "./voice-catalogue.ts";

/** The contract's default for `speed`, and its bounds. */
export const DEFAULT_SPEED = 1.05;
export const SLOWEST_SPEED = 0.7;
export const FASTEST_SPEED = 2;

export interface Speech {
  voiceId: VoiceId;
  /** As the caller wrote it; the voice refuses what it does not speak. */
  language: string;
  /** 0.7 to 2. */
  speed: number;
}

/** Throws EngineError: unknown-voice, invalid-input (speed). */
export function parseSpeech(options: SpeechOptions): Speech {
  const { voiceId = DEFAULT_VOICE_ID, language = DEFAULT_LANGUAGE, speed } = options;
  if (!isVoiceId(voiceId)) {
    throw new EngineError("unknown-voice", `Voice not found: ${voiceId}. Available: ${VOICE_IDS.join(", ")}.`);
  }
  return { voiceId, language, speed: parseSpeed(speed) };
}

/** Throws EngineError(invalid-input). */
export function parseSpeed(speed = DEFAULT_SPEED): number {
  if (!(speed >= SLOWEST_SPEED && speed <= FASTEST_SPEED)) {
    throw new EngineError("invalid-input", "speed must be between 0.7 and 2.0");
  }
  return speed;
}
