// What `avatar engine list --json` and `avatar engine install --json` print.
import { z } from "zod";
import { RENDERERS } from "./renderers.ts";

const rendererShape = z.strictObject({
  renderer: z.enum(RENDERERS),
  state: z.enum(["installed", "missing", "unsupported"]),
  version: z.string().nullable(),
  used_for: z.string(),
  found: z.string(),
  /** What to do, where that helps. */
  remedy: z.string().optional(),
});

export const engineListShape = z.strictObject({
  renderers: z.array(rendererShape),
});

export const engineInstallShape = z.strictObject({
  renderer: z.enum(["cpu", "cuda"]),
  state: z.enum(["installed", "missing"]),
  /** Packages that were fetched now. */
  packages: z.array(z.string()),
  /** What is left to do by hand. */
  steps: z.array(z.strictObject({ step: z.string(), what: z.string() })),
});
