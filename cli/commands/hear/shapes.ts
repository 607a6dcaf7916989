import { z } from "zod";

/** What `avatar hear` prints with --json: one line for each file. */
export const hearShape = z.strictObject({
  file: z.string(),
  fps: z.int(),
  visemes: z.array(z.string()).meta({ description: "One for each frame" }),
  closed: z.array(z.number()).meta({ description: "How surely the lips are closed, 0 to 1" }),
  names: z.array(z.string()).meta({ description: "Of the parameters in each row" }),
  parameters: z.array(z.array(z.number())),
});
