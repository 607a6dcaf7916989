// How Node runs one of our own modules as a program.
import { fileURLToPath } from "node:url";

/** Flags for Node: a bundle runs as it is, a TypeScript source with the loader. */
export function moduleFlags(module: URL): string[] {
  // Resolved from here, because Node would look for a bare name from the working directory.
  return /\.m?ts$/.test(fileURLToPath(module)) ? ["--import", import.meta.resolve("tsx")] : [];
}
