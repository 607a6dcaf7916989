// Creates a folder and its missing parents.
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes `path` (absolute) unless it is there, with `mode` (default 0777 less the umask), which an existing folder
 *  keeps. Throws the file system's error. Node's own recursive `mkdir` never returns where a parent exists but takes no
 *  folders and says "not found" instead, as `/proc` does. */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  const missing: string[] = [];
  for (let folder = path; !(await isFolder(folder)); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    await mkdir(folder, folder === path ? mode : undefined).catch((error: NodeJS.ErrnoException) => {
      // Another start may make the same folder at the same time.
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** False if nothing exists at the path. Throws ENOTDIR if a part of the path is a file, and other file-system errors.
 *  */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  throw Object.assign(new Error(`ENOTDIR: not a directory, '${path}'`), { code: "ENOTDIR" });
}
