// The FFmpeg executable of this machine, which .ci/run installs.
import { findExecutable } from "../../../lab/find-executable.ts";

/** Its path: the setting FFMPEG_PATH, or the first `ffmpeg` on the PATH; undefined if there is none. */
export function findFfmpeg(): string | undefined {
  const { FFMPEG_PATH, PATH } = process.env;
  return FFMPEG_PATH || findExecutable(["ffmpeg"], undefined, PATH);
}
