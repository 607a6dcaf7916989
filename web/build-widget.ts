// Builds /widget.js, which other sites load: one classic script, so that it finds the attributes of its own tag.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE = fileURLToPath(new URL("../sdk/widget/script.ts", import.meta.url));
/** Its name in the folder of the built pages. */
const WIDGET_FILE = "widget.js";

/** Writes the script into `folder`. Throws the bundler's error. */
export async function buildWidget(folder: string): Promise<void> {
  await build({
    entryPoints: [SOURCE],
    outfile: join(folder, WIDGET_FILE),
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
  });
}
