// Makes the archives of the packages, unless they are up to date.
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Progress } from "../../cli/start/progress.ts";
import { hashSources } from "../../web/hash-sources.ts";
import { bundlePackage } from "./bundle-package.ts";
import { packedManifest } from "./packed-manifest.ts";
import { rollUpTypes } from "./roll-up-types.ts";
import { ROOT, readSourcePackages, type SourcePackage } from "./source-package.ts";
import { thirdPartyNotices } from "./third-party-notices.ts";

const OUT_FOLDER = join(ROOT, "dist", "packages");
/** Below it, for each package: what the archive was made of, and the record of its API. */
const NOTES = join(OUT_FOLDER, ".notes");
const SOURCES = ["sdk", "src", "program", "shared", "lab/packages"] as const;

/** One archive. */
export interface PackedPackage {
  name: string;
  version: string;
  /** Absolute path. */
  archive: string;
  packed_bytes: number;
  unpacked_bytes: number;
}

/** Packs the packages of the given folders, or all. Unchanged ones are not made again. Writes the record of their API
 *  (`sdk/<folder>/api.md`) if `writesRecords`. Throws errors of the sources, of the compilers and of the file system. */
export async function buildPackages(options: {
  only?: readonly string[];
  writesRecords: boolean;
  progress: Progress;
}): Promise<PackedPackage[]> {
  const { only, writesRecords, progress } = options;
  const packages = await readSourcePackages();
  const chosen = packages.filter(({ folder }) => only === undefined || only.includes(folder));
  const stamp = await hashSources(SOURCES, (path) => !path.endsWith("api.md"));
  await mkdir(NOTES, { recursive: true });
  const stale: SourcePackage[] = [];
  for (const source of chosen) if (!(await isMade(source, stamp))) stale.push(source);
  if (stale.length > 0) await make(stale, packages, stamp, progress);
  if (writesRecords) for (const { folder } of chosen) await copyFile(apiNote(folder), join(ROOT, "sdk", folder, "api.md"));
  return Promise.all(chosen.map(async ({ folder }) => (await readNote(folder))!.packed));
}

/** Path of the record of the API that was made with the archive. */
export function apiNote(folder: string): string {
  return join(NOTES, `${folder}.api.md`);
}

interface Note {
  stamp: string;
  packed: PackedPackage;
}

async function readNote(folder: string): Promise<Note | undefined> {
  const text = await readFile(join(NOTES, `${folder}.json`), "utf8").catch(() => undefined);
  return text && JSON.parse(text);
}

async function isMade({ folder }: SourcePackage, stamp: string): Promise<boolean> {
  const note = await readNote(folder);
  if (note?.stamp !== stamp) return false;
  return stat(note.packed.archive).then(
    () => true,
    () => false,
  );
}

async function make(
  stale: readonly SourcePackage[],
  packages: readonly SourcePackage[],
  stamp: string,
  progress: Progress,
): Promise<void> {
  const fresh = join(ROOT, "dist", `.packages-${process.pid}`);
  const stages = join(fresh, "stages");
  const work = join(fresh, "types");
  try {
    for (const source of stale) {
      const bundles = progress.step("bundle", () => stagePackage(source, packages, join(stages, source.folder)), () => source.manifest.name);
      await bundles;
    }
    await mkdir(work, { recursive: true });
    const records = await progress.step(
      "types",
      () => rollUpTypes(stale, packages, { stages, work }),
      (made) => `${made.size} records of the API`,
    );
    const packed = await progress.step("pack", () => pack(stale, stages, fresh), (made) => `${made.length} archives`);
    for (const [index, { folder }] of stale.entries()) {
      const one = packed[index];
      await rename(join(fresh, one.archive), join(OUT_FOLDER, one.archive));
      await writeFile(apiNote(folder), records.get(folder)!);
      const note: Note = { stamp, packed: { ...one, archive: join(OUT_FOLDER, one.archive) } };
      await writeFile(join(NOTES, `${folder}.json`), JSON.stringify(note));
    }
    await removeOthers();
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Everything of an archive but its declarations. */
async function stagePackage(source: SourcePackage, packages: readonly SourcePackage[], stage: string): Promise<void> {
  await mkdir(stage, { recursive: true });
  const { siblings, inputs } = await bundlePackage(source, packages, stage);
  const manifest = await packedManifest(source, siblings);
  await writeFile(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const notices = await thirdPartyNotices(inputs);
  if (notices !== "") await writeFile(join(stage, "THIRD-PARTY-NOTICES.txt"), notices);
  await copyFile(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
  await copyFile(join(ROOT, "sdk", source.folder, "README.md"), join(stage, "README.md"));
}

/** The archives' paths are below `folder`. */
async function pack(packages: readonly SourcePackage[], stages: string, folder: string): Promise<PackedPackage[]> {
  const paths = packages.map((source) => join(stages, source.folder));
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", ...paths, "--json", "--ignore-scripts", "--pack-destination", folder],
    { maxBuffer: 16e6 },
  );
  const made = JSON.parse(stdout) as { name: string; version: string; filename: string; size: number; unpackedSize: number }[];
  return packages.map(({ manifest }) => {
    const { name, version, filename, size, unpackedSize } = made.find((one) => one.name === manifest.name)!;
    return { name, version, archive: filename, packed_bytes: size, unpacked_bytes: unpackedSize };
  });
}

/** Removes archives of other versions, and of packages that are no more. */
async function removeOthers(): Promise<void> {
  const kept = new Set<string>();
  for (const { folder } of await readSourcePackages()) kept.add((await readNote(folder))?.packed.archive ?? "");
  for (const name of await readdir(OUT_FOLDER)) {
    const path = join(OUT_FOLDER, name);
    if (name.endsWith(".tgz") && !kept.has(path)) await rm(path);
  }
}
