// The command `avatar` as an npm package: bundles of the command and of the programs that it starts, and the small
// files that they read. Everything large is a part of its own, and packages of others are dependencies.
import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { isReadAtRunTime, READ_FOLDERS } from "../../../cli/image/image-files.ts";
import { ARCHIVE_FOLDER, buildForArchive } from "../../../cli/start/build/build-programs.ts";
import { PARTS, PARTS_FILE, type PartsRecord } from "../../../program/parts/parts.ts";
import { ROOT } from "../source-package.ts";
import { thirdPartyNotices } from "../third-party-notices.ts";
import { commandManifest } from "./command-manifest.ts";
import { place } from "./stage-part.ts";

const COMMAND = "avatar.mjs";

/** Fills a folder with the package. Throws the compiler's error. */
export async function stageCommand(stage: string, parts: PartsRecord): Promise<void> {
  const bundles = join(stage, ARCHIVE_FOLDER);
  await mkdir(bundles, { recursive: true });
  const { imported, included } = await buildForArchive(bundles);
  const texts = await Promise.all((await readdir(bundles)).map((name) => readFile(join(bundles, name), "utf8")));
  const command = join(bundles, COMMAND);
  await writeFile(command, `#!/usr/bin/env node\n${await readFile(command, "utf8")}`);
  await chmod(command, 0o755);
  for (const folder of READ_FOLDERS) for (const path of await smallFilesIn(folder)) await place(path, stage);
  await place("models/manifest.json", stage);
  await writeFile(join(stage, PARTS_FILE), `${JSON.stringify(parts, null, 2)}\n`);
  const manifest = await commandManifest(texts, imported);
  await writeFile(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(join(stage, "THIRD-PARTY-NOTICES.txt"), await thirdPartyNotices(included));
  for (const name of ["LICENSE", "CHANGELOG.md"]) await copyFile(join(ROOT, name), join(stage, name));
  await copyFile(join(ROOT, "cli", "README.md"), join(stage, "README.md"));
}

/** Of a folder: what programs read, without what belongs to a part, and without notes for people. */
async function smallFilesIn(folder: string): Promise<string[]> {
  if (folder === "models" || Object.values<string>(PARTS).includes(folder)) return [];
  const entries = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => isReadAtRunTime(path) && !path.endsWith(".md"));
}
