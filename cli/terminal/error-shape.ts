import { z } from "zod";
import { EXIT_CODES } from "./cli-error.ts";

/** What a command with --json writes on standard error if it fails. */
export const errorShape = z.strictObject({
  error: z.strictObject({
    code: z.string().meta({ description: "Name of the cause; the service's own where the service refused" }),
    kind: z.enum(Object.keys(EXIT_CODES)).meta({ description: "Decides the exit code" }),
    command: z.string(),
    message: z.string(),
    hint: z.string().optional().meta({ description: "What to do about it" }),
  }),
});
