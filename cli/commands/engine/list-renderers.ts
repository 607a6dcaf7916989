// Implements `avatar engine list`.
import type { z } from "zod";
import { writeJson } from "../../terminal/write-json.ts";
import { describeChecks } from "../doctor/describe-checks.ts";
import { findRenderers } from "./renderers.ts";
import type { engineListShape } from "./shapes.ts";

export async function listRenderers({ json }: { json?: boolean }): Promise<void> {
  const renderers = await findRenderers();
  const result: z.input<typeof engineListShape> = { renderers };
  if (json) return writeJson(result);
  const text = describeChecks(
    renderers.map(({ renderer, state, used_for, found, remedy }) => ({
      name: renderer,
      state,
      found: `${found}. For ${used_for}.`,
      remedy: remedy && (remedy.startsWith("avatar ") ? `${remedy} installs it.` : remedy),
    })),
  );
  process.stdout.write(`${text}\n`);
}
