// A hash of all that goes into what is built from the sources: built folders carry it, so that only changes build them
// again.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT_DIR = dirname(dirname(fileURLToPath(import.meta.url)));

/** Of all files below folders of the repository, of which `isSource` is told the path below their folder; with the
 *  versions of the npm packages and the list of the models. */
export async function hashSources(
  folders: readonly string[],
  isSource: (path: string) => boolean = () => true,
): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of folders.map((name) => join(PROJECT_DIR, name))) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => isSource(relative(folder, file)))
      .sort();
    for (const file of files)
      hash
        .update(relative(PROJECT_DIR, file))
        .update("\0")
        .update(await readFile(file));
  }
  hash.update(await readFile(join(PROJECT_DIR, "models", "manifest.json")));
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(PROJECT_DIR, "package.json"), "utf8"));
  hash.update(JSON.stringify({ dependencies, devDependencies }));
  return hash.digest("hex");
}
