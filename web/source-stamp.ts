// What the built pages were built from.
import { hashSources } from "./hash-sources.ts";

/** Folders of the pages and of what they are built from. */
const SOURCES = ["web", "sdk", "shared", "program", "src"] as const;

/** A hash of all sources of the pages: 64 hexadecimal digits. */
export function sourceStamp(): Promise<string> {
  return hashSources(SOURCES, (path) => !/^(dist|\.dist-\d+)\//.test(path));
}
