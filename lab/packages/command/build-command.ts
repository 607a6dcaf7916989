// Makes the archive of the command `avatar`, and those of the parts that it leaves out, unless they are up to date.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Progress } from "../../../cli/start/progress.ts";
import { PART_NAMES, type PartName, type PartRecord, type PartsRecord } from "../../../program/parts/parts.ts";
import { VERSION } from "../../../program/version.ts";
import { TOP_FOLDERS } from "../../../test/structure/floors.ts";
import { buildWeb } from "../../../web/build.ts";
import { hashSources } from "../../../web/hash-sources.ts";
import { type NpmPacked, npmPack } from "../npm-pack.ts";
import { OUT_FOLDER } from "../packed-package.ts";
import { ROOT } from "../source-package.ts";
import { type PackedArchive, readCommandNote, writeCommandNote } from "./command-note.ts";
import { stageCommand } from "./stage-command.ts";
import { digestPart, stagePart } from "./stage-part.ts";

/** Everything but the pages, which are a part. */
const SOURCES = [...Object.keys(TOP_FOLDERS).filter((name) => !["web", "lab", "test"].includes(name)), "lab/packages"];

export interface PackedCommand {
  command: PackedArchive;
  parts: readonly (PackedArchive & { part: PartName })[];
}

/** Unchanged archives are not made again. Throws errors of the compilers and the file system. */
export async function buildCommand(progress: Progress): Promise<PackedCommand> {
  await progress.step("pages", buildWeb, ({ built }) => (built ? "built" : "up to date"));
  const fresh = join(ROOT, "dist", `.command-${process.pid}`);
  try {
    await mkdir(OUT_FOLDER, { recursive: true });
    const parts = await progress.step(
      "parts",
      () => packParts(fresh),
      ({ length }) => `${length} archives`,
    );
    const record: PartsRecord = {
      version: VERSION,
      parts: Object.fromEntries(parts.map(({ part, record }) => [part, record])) as Record<PartName, PartRecord>,
    };
    const sources = await hashSources(SOURCES, (path) => !/(^|\/)(api\.md|\..*)$/.test(path));
    const stamp = createHash("sha256").update(sources).update(JSON.stringify(record)).digest("hex");
    const pack = async () => {
      const stage = join(fresh, "command");
      await stageCommand(stage, record);
      return place(await npmPack([stage], fresh), fresh, "command", stamp);
    };
    const command =
      (await readCommandNote("command", stamp)) ?? (await progress.step("command", pack, () => "one archive"));
    return { command, parts: parts.map(({ part, packed }) => ({ part, ...packed })) };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function packParts(fresh: string): Promise<{ part: PartName; packed: PackedArchive; record: PartRecord }[]> {
  const all = [];
  for (const part of PART_NAMES) {
    const digest = await digestPart(part);
    const stamp = `${digest} ${VERSION}`;
    let packed = await readCommandNote(part, stamp);
    if (packed === undefined) {
      const stage = join(fresh, part);
      await stagePart(part, stage, digest);
      packed = await place(await npmPack([stage], fresh), fresh, part, stamp);
    }
    const { file, packed_bytes: bytes, sha256 } = packed;
    all.push({ part, packed, record: { file, bytes, sha256, digest } });
  }
  return all;
}

/** Moves an archive to the others, and notes it. */
async function place([one]: NpmPacked[], fresh: string, note: string, stamp: string): Promise<PackedArchive> {
  const archive = join(OUT_FOLDER, one.filename);
  await rename(join(fresh, one.filename), archive);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(archive)) hash.update(chunk);
  const packed = {
    name: one.name,
    file: one.filename,
    archive,
    sha256: hash.digest("hex"),
    packed_bytes: one.size,
    unpacked_bytes: one.unpackedSize,
  };
  await writeCommandNote(note, { stamp, packed });
  return packed;
}
