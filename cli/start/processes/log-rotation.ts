// Rotates log files while their writers run.
import { copyFile, stat, truncate } from "node:fs/promises";

const MAX_LOG_BYTES = 20_000_000;
const CHECK_INTERVAL_MS = 60_000;

/** If the file is larger than `maxBytes`, copies it to `<file>.old` and empties it. The writer keeps its file
 *  descriptor, which must be in append mode; lines written between the two steps are lost. Returns whether it rotated.
 *  Throws file-system errors. */
export async function rotateLog(logFile: string, maxBytes = MAX_LOG_BYTES): Promise<boolean> {
  const status = await stat(logFile).catch(() => null);
  if (!status || status.size <= maxBytes) return false;
  await copyFile(logFile, `${logFile}.old`);
  await truncate(logFile);
  return true;
}

/** Rotates the files once a minute until the returned function is called. A failed rotation is reported and tried
 *  again. */
export function watchLogs(logFiles: readonly string[], report: (line: string) => void): () => void {
  const rotateAll = async () => {
    for (const logFile of logFiles) {
      await rotateLog(logFile).catch((error: Error) => report(`${logFile} could not be rotated: ${error.message}`));
    }
  };
  const timer = setInterval(() => void rotateAll(), CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
