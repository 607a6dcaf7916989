// Where the command line keeps what it has fetched.
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../terminal/environment.ts";

/** `AVATAR_CACHE_DIR`, else `open-avatar` in the platform's folder for caches. It may be missing. */
export function cacheFolder(environment: Environment): string {
  const { AVATAR_CACHE_DIR, XDG_CACHE_HOME, LOCALAPPDATA, HOME } = environment;
  if (AVATAR_CACHE_DIR) return AVATAR_CACHE_DIR;
  const own = process.platform === "win32" ? LOCALAPPDATA : undefined;
  return join(XDG_CACHE_HOME || own || join(HOME || homedir(), ".cache"), "open-avatar");
}
