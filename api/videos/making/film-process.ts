// A child process for each film.

import { type RunOnceOptions, runOnce } from "../../../program/child-process/run-once.ts";
import type { Logger } from "../../../program/log.ts";
import type { FilmResult, FilmTask } from "./film-messages.ts";

/** Two minutes of film take about one on a free core. */
const TIMEOUT_MS = 1_800_000;

export interface FilmRun extends Pick<RunOnceOptions, "niceness" | "signal" | "onProgress"> {
  logger: Logger;
}

/** Makes a film in a new process. Throws as `runOnce` and `makeFilm`. */
export function runFilm(task: FilmTask, { logger, ...run }: FilmRun): Promise<FilmResult> {
  const module = new URL("film-child.ts", import.meta.url);
  return runOnce(task, { ...run, module, log: logger.child({ process: "film" }), timeoutMs: TIMEOUT_MS });
}
