// The archives that are made, and what is noted beside them.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./source-package.ts";

export const OUT_FOLDER = join(ROOT, "dist", "packages");
const NOTES = join(OUT_FOLDER, ".notes");

/** One archive. */
export interface PackedPackage {
  /** Of its sources, below `sdk/`. */
  folder: string;
  name: string;
  version: string;
  /** Absolute path. */
  archive: string;
  /** Folders of the other packages of ours that are installed with it. */
  siblings: string[];
  packed_bytes: number;
  unpacked_bytes: number;
}

/** An archive, and what it was made from. */
interface Note {
  /** Hash of the sources. */
  stamp: string;
  packed: PackedPackage;
}

/** Undefined if it was not made yet, or from other sources than those with the given hash. */
export async function readPacked(folder: string, stamp?: string): Promise<PackedPackage | undefined> {
  const text = await readFile(join(NOTES, `${folder}.json`), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const note: Note = JSON.parse(text);
  const isCurrent = stamp === undefined || note.stamp === stamp;
  return isCurrent && existsSync(note.packed.archive) ? note.packed : undefined;
}

/** Notes an archive, and the record of its API. */
export async function notePacked(packed: PackedPackage, stamp: string, record: string): Promise<void> {
  await mkdir(NOTES, { recursive: true });
  await writeFile(apiNote(packed.folder), record);
  const note: Note = { stamp, packed };
  await writeFile(join(NOTES, `${packed.folder}.json`), JSON.stringify(note));
}

/** Path of the record of the API as the archive has it. */
export function apiNote(folder: string): string {
  return join(NOTES, `${folder}.api.md`);
}
