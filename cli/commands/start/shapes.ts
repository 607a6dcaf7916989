import { z } from "zod";

/** What `avatar start` prints with --json when the service is ready. */
export const startShape = z.strictObject({
  url: z.string(),
  demo: z.string().optional().meta({ description: "Absent if no one may open it" }),
  docs: z.string(),
  openapi: z.string(),
  ready: z.string(),
  realtime: z.string(),
  livekit: z.string(),
  host: z.string(),
  demo_agent: z.string(),
  language_model: z.string().optional(),
  operator_secret_file: z.string().optional(),
});
