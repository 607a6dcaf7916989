// Pins the images that files take from a registry, or takes the pins out.
import { readFile, writeFile } from "node:fs/promises";
import { findImages, parseImage, setDigests } from "./image-references.ts";
import type { ImageRegistry } from "./image-registry.ts";

export interface PinImagesOptions {
  /** Absolute paths. */
  files: readonly string[];
  /** Null takes all digests out. */
  registry: Pick<ImageRegistry, "digestOf"> | null;
}

export interface PinnedImage {
  /** With its tag. */
  name: string;
  /** `sha256:…`; null without one. */
  digest: string | null;
}

/** Writes into each file the digests that the tags name now, and returns the images. Changes no file unless all digests
 *  are known. Throws what the registry throws. */
export async function pinImages({ files, registry }: PinImagesOptions): Promise<PinnedImage[]> {
  const texts = await Promise.all(files.map((path) => readFile(path, "utf8")));
  const names = [...new Set(texts.flatMap(findImages))];
  const digests = new Map<string, string>();
  // One after the other: registries limit anonymous readers.
  if (registry) for (const name of names) digests.set(name, await registry.digestOf(parseImage(name)));
  for (const [index, path] of files.entries()) {
    const text = setDigests(texts[index], digests);
    if (text !== texts[index]) await writeFile(path, text);
  }
  return names.map((name) => ({ name, digest: digests.get(name) ?? null }));
}
