// Copies what a container image needs into a folder, and prints what weighs. The Dockerfile
// runs it after cli/build.ts.
import { mkdir, readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { assembleImage } from "./image/assemble-image.ts";
import { IMAGE_PROGRAMS } from "./start/build/build-programs.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const USAGE_EXIT_CODE = 64;
/** Smaller parts are summed up. */
const SHOWN_BYTES = 2e6;

const [folder] = process.argv.slice(2);
const target = resolve(folder ?? ".");
if (folder) await mkdir(target, { recursive: true });
if (!folder || (await readdir(target)).length > 0) {
  process.stderr.write("Usage: node --import tsx cli/image.ts FOLDER\nThe folder must be empty or missing.\n");
  process.exit(USAGE_EXIT_CODE);
}
const { size, parts } = await assembleImage({ root: ROOT, target, programs: IMAGE_PROGRAMS });
const shown = parts.filter((part) => part.size >= SHOWN_BYTES);
const rest = size - shown.reduce((sum, part) => sum + part.size, 0);
const rows = [...shown, { name: `${parts.length - shown.length} smaller parts`, size: rest }, { name: "sum", size }];
for (const row of rows) process.stdout.write(`${(row.size / 1e6).toFixed(1).padStart(7)} MB  ${row.name}\n`);
