// The configuration file of a Piper voice.
import { z } from "zod";
import { EngineError } from "../../../../shared/engine-error.ts";

const MOST_SYMBOLS = 4_096;

const configSchema = z.object({
  audio: z.object({ sample_rate: z.int().min(8_000).max(48_000) }),
  /** The language of the phonemes that the network knows, as eSpeak NG calls it. */
  espeak: z.object({ voice: z.string().regex(/^[a-z]{2,3}(-[a-z0-9]+)*$/i) }),
  /** How much the sound and the durations vary from one time to the next; a longer `length_scale` is slower. */
  inference: z.object({
    noise_scale: z.number().min(0).max(2),
    length_scale: z.number().min(0.2).max(5),
    noise_w: z.number().min(0).max(2),
  }),
  num_speakers: z.int().min(1).max(10_000).default(1),
  /** Numbers of each letter; `_` is between letters, `^` and `$` are begin and end. */
  phoneme_id_map: z
    .record(z.string(), z.array(z.int().min(0).max(MOST_SYMBOLS)).min(1).max(4))
    .refine((map) => ["_", "^", "$"].every((symbol) => symbol in map), "lacks _, ^ or $"),
});

export type PiperConfig = z.infer<typeof configSchema>;

/** Throws EngineError(invalid-input) if it is not the configuration of a voice with eSpeak NG's phonemes. */
export function parsePiperConfig(text: string): PiperConfig {
  try {
    return configSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new EngineError("invalid-input", "The configuration of the voice cannot be read.", { cause });
  }
}
