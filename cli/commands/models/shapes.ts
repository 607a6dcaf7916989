// What `avatar pull --json` and `avatar list --json` print.
import { z } from "zod";
import { FAMILIES } from "../../../shared/models.ts";

export const pullShape = z.strictObject({
  /** Code of the avatar: an agent's, or `sample-` with the slug. */
  code: z.string(),
  /** Of the file, absolute. */
  path: z.string(),
  /** Whether it was here already. */
  cached: z.boolean(),
  family: z.enum(FAMILIES),
  /** Name of the model. */
  model: z.string(),
  /** Further models of this avatar that have a file. */
  other_models: z.array(z.string()),
  /** Whether this program can render it. */
  runnable_locally: z.boolean(),
});

export const listShape = z.strictObject({
  samples: z.array(
    z.strictObject({
      slug: z.string(),
      code: z.string(),
      name: z.string(),
      model: z.string(),
      bytes: z.int(),
      /** Whether a file of it is on this computer. */
      pulled: z.boolean(),
    }),
  ),
});

export const listMineShape = z.strictObject({
  agents: z.array(
    z.strictObject({
      code: z.string(),
      name: z.string(),
      status: z.string(),
      model: z.string(),
      models: z.array(z.string()),
      created_at: z.string(),
      pulled: z.boolean(),
    }),
  ),
});
