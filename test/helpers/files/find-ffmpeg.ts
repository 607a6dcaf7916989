// The FFmpeg executable of this machine, which .ci/run installs.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Its path: the setting FFMPEG_PATH, or the first `ffmpeg` on the PATH; undefined if there is none. */
export function findFfmpeg(): string | undefined {
  const { FFMPEG_PATH, PATH = "" } = process.env;
  if (FFMPEG_PATH) return FFMPEG_PATH;
  return PATH.split(delimiter)
    .map((folder) => join(folder, "ffmpeg"))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
