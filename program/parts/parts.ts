// The parts of an installation that the archive of the command leaves out: large files, in archives of their own.

/** The folder of each, relative to the main folder. */
export const PARTS = {
  "model-face": "models/face",
  "model-lip-sync": "models/lip-sync",
  "model-voice": "models/voice",
  "model-recognition": "models/recognition",
  gallery: "models/gallery",
  pages: "web/dist",
} as const;

export type PartName = keyof typeof PARTS;

export const PART_NAMES = Object.keys(PARTS) as readonly PartName[];

/** Where the archive of the command says which parts it was made with. A repository and an image have no such file. */
export const PARTS_FILE = "parts.json";

/** What the archive of the command knows of a part. */
export interface PartRecord {
  /** Name of its archive. */
  file: string;
  /** Of the archive: bytes, and SHA-256 in hexadecimal digits. */
  bytes: number;
  sha256: string;
  /** SHA-256 over its files: names the same content in other versions. */
  digest: string;
}

/** The content of `PARTS_FILE`. */
export interface PartsRecord {
  version: string;
  parts: Readonly<Record<PartName, PartRecord>>;
}

/** Name of a part as an npm package. */
export function partPackage(name: PartName): string {
  return `@open-avatar/${name}`;
}
