// What `avatar render --json` prints.
import { z } from "zod";

export const renderShape = z.strictObject({
  /** Path of the film, as it was given. */
  output: z.string(),
  bytes: z.int(),
  /** Length of the film, s. */
  seconds: z.number(),
  /** From the start of the command to the finished film, s. */
  wall_seconds: z.number(),
  width: z.int(),
  height: z.int(),
  frames: z.int(),
  fps: z.literal(25),
  /** Spent on frames alone, s. */
  render_seconds: z.number(),
  /** Frames per second of that time. */
  render_fps: z.number(),
});
