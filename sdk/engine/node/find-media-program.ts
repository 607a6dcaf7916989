// FFmpeg, in one of three forms: an executable that is named, the package node-av, or `ffmpeg` of this system.
import { spawnSync } from "node:child_process";
import { childEnvironment } from "../../../program/child-process/child-environment.ts";
import { EngineError } from "../../../shared/engine-error.ts";
import type { MediaToolOptions } from "../../../src/signal/media/media-tool.ts";
import { isInstalled } from "./missing-packages.ts";

let isOnSystem: boolean | undefined;

/** Throws EngineError(unavailable) if there is none. `what`: the beginning of a sentence about what needs it. */
export function findMediaProgram(what: string, ffmpegPath?: string): MediaToolOptions {
  if (ffmpegPath !== undefined) return { ffmpegPath };
  if (isInstalled("node-av")) return {};
  isOnSystem ??= spawnSync("ffmpeg", ["-version"], { env: childEnvironment(), stdio: "ignore" }).status === 0;
  if (isOnSystem) return { ffmpegPath: "ffmpeg" };
  throw new EngineError("unavailable", `${what} needs FFmpeg: npm install node-av, or install ffmpeg on this system.`);
}
