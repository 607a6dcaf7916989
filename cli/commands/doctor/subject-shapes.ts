// What `avatar doctor gpu` and `avatar doctor llm` print with --json.
import { z } from "zod";
import { GPU_STEPS } from "./gpu-steps.ts";

export const doctorGpuShape = z.strictObject({
  ready: z.boolean(),
  steps: z.array(
    z.strictObject({
      step: z.enum(GPU_STEPS),
      state: z.enum(["ok", "missing", "waiting"]),
      found: z.string(),
      remedy: z.string().optional(),
    }),
  ),
});

export const doctorLlmShape = z.strictObject({
  ready: z.boolean(),
  used: z.string().nullable().meta({ description: "The model that conversations use" }),
  models: z.array(
    z.strictObject({
      program: z.string(),
      base_url: z.string(),
      model: z.string(),
      is_for_chat: z.boolean(),
      size_bytes: z.number().nullable(),
      memory_bytes: z.number().nullable(),
    }),
  ),
  ways: z.array(z.strictObject({ command: z.string(), memory_bytes: z.number() })),
  free_memory_bytes: z.number(),
});
