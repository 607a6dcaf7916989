// What `avatar voices …` prints with --json.
import { z } from "zod";

export const voicesListShape = z.strictObject({
  voices: z.array(
    z.strictObject({
      id: z.string(),
      state: z.enum(["built in", "fetched", "can be fetched"]),
      languages: z.array(z.string()),
      description: z.string(),
      bytes: z.int().nullable(),
      licence: z.string(),
      card: z.string().nullable(),
    }),
  ),
});

export const voicesPullShape = z.strictObject({
  id: z.string(),
  folder: z.string(),
  bytes: z.int(),
  was_here: z.boolean(),
});

export const voicesRemoveShape = z.strictObject({ id: z.string(), folder: z.string() });

export const voicesSayShape = z.strictObject({
  file: z.string(),
  voice: z.string(),
  seconds: z.number(),
  sample_rate_hz: z.number(),
});
