// Optional packages: whether they are installed.
import { EngineError } from "../../../shared/engine-error.ts";

/** Throws EngineError(unavailable) with the command that installs what is missing. `what`: the beginning of a sentence
 *  about what needs these packages. */
export function assertInstalled(what: string, names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) {
    throw new EngineError("unavailable", `${what} needs ${missing.join(" and ")}: npm install ${missing.join(" ")}`);
  }
}

export function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
