// Makes the archives of the packages, unless they are up to date.
import { copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Progress } from "../../cli/start/progress.ts";
import { PART_NAMES } from "../../program/parts/parts.ts";
import { hashSources } from "../../web/hash-sources.ts";
import { bundlePackage, MODULE_FOLDER, SCRIPT_FOLDER } from "./bundle-package.ts";
import { readCommandNote } from "./command/command-note.ts";
import { npmPack } from "./npm-pack.ts";
import { packedManifest } from "./packed-manifest.ts";
import { apiNote, notePacked, OUT_FOLDER, type PackedPackage, readPacked } from "./packed-package.ts";
import { declarationName, rollUpTypes } from "./roll-up-types.ts";
import { entryOf, ROOT, readSourcePackages, type SourcePackage } from "./source-package.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";

const SOURCES = ["sdk", "room", "src", "program", "shared", "lab/packages"] as const;

/** Packs the packages of the given folders, or all. Unchanged ones are not made again. Writes the record of each API
 *  (`sdk/<folder>/api.md`) if `writesRecords`. Throws errors of the sources, the compilers and the file system. */
export async function buildPackages(options: {
  only?: readonly string[];
  writesRecords: boolean;
  progress: Progress;
}): Promise<PackedPackage[]> {
  const { only, writesRecords, progress } = options;
  const packages = await readSourcePackages();
  const chosen = packages.filter(({ folder }) => only === undefined || only.includes(folder));
  const stamp = await hashSources(SOURCES, (path) => !/(^|\/)(api\.md|\..*)$/.test(path));
  const current = await Promise.all(chosen.map(({ folder }) => readPacked(folder, stamp)));
  const stale = chosen.filter((_, index) => current[index] === undefined);
  if (stale.length > 0) await makeArchives(stale, packages, stamp, progress);
  if (writesRecords)
    for (const { folder } of chosen) await copyFile(apiNote(folder), join(ROOT, "sdk", folder, "api.md"));
  return Promise.all(chosen.map(async ({ folder }) => (await readPacked(folder, stamp))!));
}

async function makeArchives(
  stale: readonly SourcePackage[],
  packages: readonly SourcePackage[],
  stamp: string,
  progress: Progress,
): Promise<void> {
  const fresh = join(ROOT, "dist", `.packages-${process.pid}`);
  const stages = join(fresh, "stages");
  const work = join(fresh, "types");
  const siblings = new Map<string, string[]>();
  try {
    for (const source of stale) {
      const { folder, manifest } = source;
      const bundle = () => stagePackage(source, packages, join(stages, folder));
      siblings.set(folder, await progress.step("bundle", bundle, () => manifest.name));
    }
    await mkdir(work, { recursive: true });
    const rollUp = () => rollUpTypes(stale, packages, { stages, work });
    const records = await progress.step("types", rollUp, ({ size }) => `of ${size} packages`);
    const packed = await progress.step(
      "pack",
      () => pack(stale, stages, fresh),
      ({ length }) => `${length} archives`,
    );
    await mkdir(OUT_FOLDER, { recursive: true });
    for (const { filename, ...one } of packed) {
      const archive = join(OUT_FOLDER, filename);
      await rename(join(fresh, filename), archive);
      await notePacked({ ...one, archive, siblings: siblings.get(one.folder)! }, stamp, records.get(one.folder)!);
    }
    await removeOthers(packages);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Everything of an archive but its declarations. Returns the folders of the packages of ours that it needs. */
async function stagePackage(
  source: SourcePackage,
  packages: readonly SourcePackage[],
  stage: string,
): Promise<string[]> {
  await mkdir(stage, { recursive: true });
  const { siblings, inputs } = await bundlePackage(source, packages, stage);
  const manifest = await packedManifest(source, siblings);
  await writeFile(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const [name, path] of Object.entries(source.manifest.build.pageScripts)) {
    const types = `../${MODULE_FOLDER}/${declarationName(entryOf(source, path)).replace(/\.d\.ts$/, ".js")}`;
    await writeFile(join(stage, SCRIPT_FOLDER, name.replace(/\.js$/, ".d.ts")), `export * from "${types}";\n`);
  }
  const notices = await thirdPartyNotices(inputs);
  if (notices !== "") await writeFile(join(stage, "THIRD-PARTY-NOTICES.txt"), notices);
  await copyFile(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
  await copyFile(join(ROOT, "sdk", source.folder, "README.md"), join(stage, "README.md"));
  return packages.filter(({ manifest: { name } }) => siblings.includes(name)).map(({ folder }) => folder);
}

/** Writes the archives into `target`. */
async function pack(packages: readonly SourcePackage[], stages: string, target: string) {
  const paths = packages.map(({ folder }) => join(stages, folder));
  const outputs = await npmPack(paths, target);
  return packages.map(({ folder, manifest }) => {
    const { name, version, filename, size, unpackedSize } = outputs.find((one) => one.name === manifest.name)!;
    return { folder, name, version, filename, packed_bytes: size, unpacked_bytes: unpackedSize };
  });
}

/** Removes archives of other versions, and of packages that are no more. */
async function removeOthers(packages: readonly SourcePackage[]): Promise<void> {
  const own = await Promise.all(packages.map(async ({ folder }) => (await readPacked(folder))?.archive));
  const others = await Promise.all(
    ["command", ...PART_NAMES].map(async (name) => (await readCommandNote(name))?.archive),
  );
  const kept = [...own, ...others];
  for (const name of await readdir(OUT_FOLDER)) {
    const path = join(OUT_FOLDER, name);
    if (name.endsWith(".tgz") && !kept.includes(path)) await rm(path);
  }
}
