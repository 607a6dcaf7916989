// The files that this process has open. Linux only.
import { existsSync, readdirSync, readlinkSync } from "node:fs";

const FOLDER = "/proc/self/fd";

/** Whether `openFiles` works here. */
export const knowsOpenFiles = existsSync(FOLDER);

/** Their paths. A removed file's ends with " (deleted)". */
export function openFiles(): string[] {
  return readdirSync(FOLDER).map((descriptor) => {
    try {
      return readlinkSync(`${FOLDER}/${descriptor}`);
    } catch {
      // Closed meanwhile.
      return "";
    }
  });
}
