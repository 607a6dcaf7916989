// Says where the large files of this installation lie: in its main folder (a repository, an image), in an npm package
// beside the command, or in this user's cache. Node only.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { PARTS, PARTS_FILE, type PartName, type PartsRecord, partPackage } from "./parts.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const DIGEST_DIGITS = 16;

const found = new Map<PartName, string>();
let provide: ((name: PartName) => Promise<void>) | undefined;
let record: PartsRecord | null | undefined;

/** Which parts the command was made with; null where all is in the main folder. */
export function partsRecord(): PartsRecord | null {
  if (record === undefined) {
    const file = join(ROOT, PARTS_FILE);
    record = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as PartsRecord) : null;
  }
  return record;
}

/** Whether nothing has to be fetched for a part: it is on this machine, or all is in the main folder. There what is not
 *  part of it, such as the pages of a new clone, is made when it is needed. */
export function hasPart(name: PartName): boolean {
  return partsRecord() === null || locate(name) !== undefined;
}

/** URL of a part's folder, with a slash at the end. For a part that is not here: where the main folder would have
 *  it. */
export function partFolder(name: PartName): URL {
  return pathToFileURL(`${join(locate(name) ?? ROOT, PARTS[name])}/`);
}

/** As `partFolder`, after the provider of this process, if it has one, has fetched a part that is not here. Throws
 *  what the provider throws. */
export async function requirePart(name: PartName): Promise<URL> {
  if (!hasPart(name)) await provide?.(name);
  return partFolder(name);
}

/** Sets what fetches parts that are missed by this process. */
export function setPartProvider(provider: (name: PartName) => Promise<void>): void {
  provide = provider;
}

/** Folder of a part in this user's cache, which fetching makes. Throws RangeError where all is in the main folder. */
export function cachedPart(name: PartName): string {
  const parts = partsRecord()?.parts;
  if (!parts) throw new RangeError(`${name} belongs to the main folder of this installation`);
  return join(cacheFolder(), `${name}-${parts[name].digest.slice(0, DIGEST_DIGITS)}`);
}

/** What tells a child process with another home folder where this user's parts are. */
export function partsEnvironment(): NodeJS.ProcessEnv {
  return partsRecord() === null ? {} : { AVATAR_PARTS_DIR: cacheFolder() };
}

/** AVATAR_PARTS_DIR; default: a folder of this user's cache. */
export function cacheFolder(): string {
  const { AVATAR_PARTS_DIR, XDG_CACHE_HOME } = process.env;
  return AVATAR_PARTS_DIR || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "open-avatar-service", "parts");
}

/** The folder in which the part has its own path. */
function locate(name: PartName): string | undefined {
  const known = found.get(name);
  if (known !== undefined) return known;
  const folder = [ROOT, packageFolder(name), partsRecord() ? cachedPart(name) : undefined].find(
    (each) => each !== undefined && existsSync(join(each, PARTS[name])),
  );
  if (folder !== undefined) found.set(name, folder);
  return folder;
}

/** The npm package beside the command, if it has the content that the command was made with. */
function packageFolder(name: PartName): string | undefined {
  const digest = partsRecord()?.parts[name].digest;
  if (digest === undefined) return undefined;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${partPackage(name)}/package.json`);
    return JSON.parse(readFileSync(manifest, "utf8")).digest === digest ? dirname(manifest) : undefined;
  } catch {
    // It is not installed.
    return undefined;
  }
}
