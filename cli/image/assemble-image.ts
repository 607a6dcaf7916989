// Copies what a container image needs into an empty folder: the bundles and pages that `cli/build.ts` wrote, the
// models, and of each package what runs on this platform.
import { copyFile, link, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { isNeededOfPackage, isReadAtRunTime, OMITTED_PACKAGES, READ_FOLDERS, ROOT_FILES } from "./image-files.ts";
import { findNeededPackages } from "./needed-packages.ts";

/** Where the bundles are, relative to the main folder. */
const BUNDLES = "node_modules/.cache/open-avatar-service";

export interface AssembleImageOptions {
  /** Absolute path of the repository, with its packages installed, and built. */
  root: string;
  /** Absolute path of the folder to fill; made if missing. */
  target: string;
  /** Names of the bundles to take. */
  programs: readonly string[];
  /** Absolute path at which the folder lies when the programs run. Default: `root`, as in a Dockerfile that copies the
   *  folder to where it was built. */
  place?: string;
}

export interface AssembledImage {
  /** Bytes of all files. */
  size: number;
  /** Bytes by part: a package, or a folder of the repository. Largest first. */
  parts: readonly { name: string; size: number }[];
}

/** Throws if a bundle, the pages or a package are missing. */
export async function assembleImage(options: AssembleImageOptions): Promise<AssembledImage> {
  const { root, target, programs, place = root } = options;
  const sizes = new Map<string, number>();
  const copy = async (path: string, part: string): Promise<void> => {
    const to = join(target, path);
    await mkdir(dirname(to), { recursive: true });
    // A link takes no time, where the file system allows one.
    await link(join(root, path), to).catch(() => copyFile(join(root, path), to));
    sizes.set(part, (sizes.get(part) ?? 0) + (await stat(to)).size);
  };
  const texts: string[] = [];
  for (const name of programs) {
    const path = join(BUNDLES, `${name}.mjs`);
    const text = await readFile(join(root, path), "utf8");
    texts.push(text);
    await copy(`${path}.map`, "bundles");
    // Bundles name files by absolute paths and URLs, which contain these paths as they are.
    await writeFile(join(target, path), text.replaceAll(root, place));
    sizes.set("bundles", (sizes.get("bundles") ?? 0) + Buffer.byteLength(text));
  }
  for (const name of ROOT_FILES) await copy(name, "bundles");
  for (const folder of READ_FOLDERS) {
    for (const path of await filesIn(root, folder)) if (isReadAtRunTime(path)) await copy(path, folder);
  }
  const omitted = OMITTED_PACKAGES;
  for (const folder of await findNeededPackages({ root, bundles: texts, omitted })) {
    for (const path of await filesIn(root, folder)) {
      // A package inside a package is one of its own.
      const inside = relative(folder, path);
      if (!inside.includes(`node_modules${sep}`) && isNeededOfPackage(inside)) await copy(path, folder);
    }
  }
  const parts = [...sizes].map(([name, size]) => ({ name, size })).sort((a, b) => b.size - a.size);
  return { size: parts.reduce((sum, part) => sum + part.size, 0), parts };
}

/** Paths of the files in a folder and below, relative to `root`. Throws if the folder is missing. */
async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}
