// What a voice of the catalogue has to say for a request with axes or a designed voice.
import { EngineError } from "../../../../shared/engine-error.ts";
import { DEFAULT_SPEED, FASTEST_SPEED, SLOWEST_SPEED } from "../speech-options.ts";
import type { SpeechOptions } from "../voice.ts";
import { isVoiceId } from "../voice-catalogue.ts";
import { isDesignedVoiceCode, parseDesignedVoice } from "./designed-voice.ts";
import {
  AXIS_NAMES,
  keepsSound,
  MAX_AXIS,
  NEUTRAL_AXES,
  shapeOf,
  tempoOf,
  type VoiceAxes,
  type VoiceShape,
} from "./voice-axes.ts";

export interface ShapedSpeech {
  /** For an engine: a voice of the catalogue, without axes. */
  options: SpeechOptions;
  /** What is then done to the sound; undefined if nothing. */
  shape: VoiceShape | undefined;
}

/** Whether a voice can speak as this: an id of the catalogue or the code of a designed voice. */
export function isSpeakableVoice(id: string): boolean {
  return isVoiceId(id) || parseDesignedVoice(id) !== null;
}

/** Axes of a designed voice win over those of the options. The tempo stays within the bounds of `speed`. Throws
 *  EngineError: unknown-voice (a damaged code), invalid-input (an axis beyond ±MAX_AXIS). */
export function shapedSpeech(options: SpeechOptions): ShapedSpeech {
  const { voiceId, axes: own, ...rest } = options;
  const designed = voiceId === undefined ? null : parseDesignedVoice(voiceId);
  if (!designed && voiceId !== undefined && isDesignedVoiceCode(voiceId)) {
    throw new EngineError("unknown-voice", `Voice not found: ${voiceId}.`);
  }
  const axes: VoiceAxes = designed?.axes ?? { ...NEUTRAL_AXES, ...own };
  const wrong = AXIS_NAMES.find((name) => !(Math.abs(axes[name]) <= MAX_AXIS));
  if (wrong) throw new EngineError("invalid-input", `The axis ${wrong} must be between -${MAX_AXIS} and ${MAX_AXIS}.`);
  const { speed = DEFAULT_SPEED } = rest;
  const isInBounds = speed >= SLOWEST_SPEED && speed <= FASTEST_SPEED;
  // A speed out of bounds is refused by the engine.
  const tempo = isInBounds ? Math.min(FASTEST_SPEED, Math.max(SLOWEST_SPEED, speed * tempoOf(axes))) : speed;
  return {
    options: { ...rest, voiceId: designed?.baseVoiceId ?? voiceId, speed: tempo },
    shape: keepsSound(axes) ? undefined : shapeOf(axes),
  };
}
