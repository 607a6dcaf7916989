// What `avatar bake` and `avatar inspect` print with --json.
import { z } from "zod";

export const bakeShape = z.strictObject({
  output: z.string(),
  bytes: z.int(),
  family: z.string(),
  width: z.int(),
  height: z.int(),
  wall_seconds: z.number(),
});

export const inspectShape = z.strictObject({
  file: z.string(),
  bytes: z.int(),
  format_version: z.int(),
  manifest: z.record(z.string(), z.unknown()).meta({ description: "As the file has it" }),
  members: z.array(z.looseObject({ name: z.string(), size: z.int() })),
  rig: z.strictObject({
    nodes: z.int(),
    weight_bytes: z.int(),
    operators: z.record(z.string(), z.int()).meta({ description: "Number of nodes by operator" }),
  }),
});
