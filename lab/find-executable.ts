// A program of this machine.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Path of the first program in the folders of `path` (like PATH) that has one of the names; undefined without one.
 *  `chosen`: the path that a setting names, which is then the only one. */
export function findExecutable(names: readonly string[], chosen?: string, path = ""): string | undefined {
  const folders = path.split(delimiter);
  const candidates = chosen ? [chosen] : folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
