// A part of the installation as an npm package: files alone.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, link, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { PARTS, type PartName, partPackage } from "../../../program/parts/parts.ts";
import { ROOT } from "../source-package.ts";

const DESCRIPTIONS: Readonly<Record<PartName, string>> = {
  "model-face": "Networks that find a face in a picture, for @open-avatar/cli",
  "model-lip-sync": "Network that follows speech with a mouth, for @open-avatar/cli",
  "model-voice": "Neural voices and pronunciation, for @open-avatar/cli",
  "model-recognition": "Speech recogniser, for @open-avatar/cli",
  gallery: "Portraits for agents without a picture, for @open-avatar/cli",
  pages: "The built pages of the service, for @open-avatar/cli",
};

/** SHA-256 over the names and contents of a part's files. */
export async function digestPart(part: PartName): Promise<string> {
  const hash = createHash("sha256");
  for (const path of await filesOf(part)) {
    hash.update(`${path}\0`);
    for await (const chunk of createReadStream(join(ROOT, path))) hash.update(chunk);
  }
  return hash.digest("hex");
}

/** Fills a folder with the package. */
export async function stagePart(part: PartName, stage: string, digest: string): Promise<void> {
  await mkdir(stage, { recursive: true });
  for (const path of await filesOf(part)) await place(path, stage);
  const { version, license } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const manifest = { name: partPackage(part), version, description: DESCRIPTIONS[part], license, digest };
  await writeFile(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await copyFile(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
}

/** Puts a file of the repository at the same path below `stage`. */
export async function place(path: string, stage: string): Promise<void> {
  const target = join(stage, path);
  await mkdir(dirname(target), { recursive: true });
  // A link takes no time, where the file system allows one.
  await link(join(ROOT, path), target).catch(() => copyFile(join(ROOT, path), target));
}

/** Relative to the root, sorted. */
async function filesOf(part: PartName): Promise<string[]> {
  const entries = await readdir(join(ROOT, PARTS[part]), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort();
}
