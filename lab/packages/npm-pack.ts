import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { promisify } from "node:util";

/** What npm prints of an archive. */
export interface NpmPacked {
  name: string;
  version: string;
  filename: string;
  size: number;
  unpackedSize: number;
}

/** Makes archives of folders, in `target`. Throws npm's error. */
export async function npmPack(folders: readonly string[], target: string): Promise<NpmPacked[]> {
  await mkdir(target, { recursive: true });
  const words = ["pack", ...folders, "--json", "--ignore-scripts", "--pack-destination", target];
  const { stdout } = await promisify(execFile)("npm", words, { maxBuffer: 64e6 });
  return JSON.parse(stdout) as NpmPacked[];
}
