// Which program reads and writes compressed media: FFmpeg, from an optional package or an executable of the operator.
// It always runs in its own process (docs/decisions/0005).
import { EngineError } from "../../../shared/engine-error.ts";

export type MediaTool =
  /** The optional package node-av, in a child process of ours. */
  | { kind: "node-av" }
  /** An FFmpeg executable. */
  | { kind: "ffmpeg"; path: string };

export interface MediaToolOptions {
  /** Path of an FFmpeg executable (the setting FFMPEG_PATH); it wins over the package. */
  ffmpegPath?: string;
}

/** The tool to use. Throws EngineError(unavailable) if there is no tool; the message says what to install. */
export function findMediaTool(options: MediaToolOptions = {}): MediaTool {
  if (options.ffmpegPath) return { kind: "ffmpeg", path: options.ffmpegPath };
  try {
    import.meta.resolve("node-av");
    return { kind: "node-av" };
  } catch (cause) {
    throw new EngineError(
      "unavailable",
      "Reading and writing this media needs FFmpeg: install the optional package node-av, or set FFMPEG_PATH to an ffmpeg executable.",
      { cause },
    );
  }
}
