// What is noted beside the archives of the command and its parts, so that unchanged ones are not made again.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OUT_FOLDER } from "../packed-package.ts";

const NOTES = join(OUT_FOLDER, ".notes");

/** One archive. */
export interface PackedArchive {
  /** Of the npm package. */
  name: string;
  /** Name of the file. */
  file: string;
  /** Absolute path of the file. */
  archive: string;
  sha256: string;
  packed_bytes: number;
  unpacked_bytes: number;
}

interface Note {
  /** Changes with what the archive is made from. */
  stamp: string;
  packed: PackedArchive;
}

/** Undefined if it was not made yet, or from something else. */
export async function readCommandNote(name: string, stamp?: string): Promise<PackedArchive | undefined> {
  const text = await readFile(join(NOTES, `command-${name}.json`), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const note: Note = JSON.parse(text);
  const isCurrent = stamp === undefined || note.stamp === stamp;
  return isCurrent && existsSync(note.packed.archive) ? note.packed : undefined;
}

export async function writeCommandNote(name: string, note: Note): Promise<void> {
  await mkdir(NOTES, { recursive: true });
  await writeFile(join(NOTES, `command-${name}.json`), JSON.stringify(note));
}
