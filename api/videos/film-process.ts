// A child process for each film: rendering takes minutes of CPU time, decodes files of strangers, and must end at once
// when its video is no longer wanted.
import type { Logger } from "../../shared/log.ts";
import { TaskProcess } from "../../src/child-process/task-process.ts";
import type { FilmResult, FilmTask } from "./film-messages.ts";

/** Default scheduling priority: a film takes what live sessions, and everything else, leave over. */
export const FILM_NICENESS = 19;
/** A process starts in a second; this is for machines that are busy with sessions. */
const START_TIMEOUT_MS = 600_000;
/** Two minutes of film take about one on a free core. */
const TIMEOUT_MS = 1_800_000;

export interface FilmRun {
  logger: Logger;
  /** Scheduling priority of the process, 0 (as the api) to 19. */
  niceness: number;
  /** Kills the process; `runFilm` then throws its reason. */
  signal: AbortSignal;
  /** Gets shares from 0 to 1. */
  onProgress(share: number): void;
}

/** Makes a film in a new process. Throws EngineError as `makeFilm`, TaskError if the process failed, and the signal's
 *  reason. */
export async function runFilm(task: FilmTask, { logger, niceness, signal, onProgress }: FilmRun): Promise<FilmResult> {
  const child = new TaskProcess<FilmTask, FilmResult>({
    module: new URL("film-child.ts", import.meta.url),
    log: logger.child({ process: "film" }),
    niceness,
    startTimeoutMs: START_TIMEOUT_MS,
    showsOutput: true,
  });
  const stop = () => void child.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    return await child.run(task, { timeoutMs: TIMEOUT_MS, onProgress });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    await child.close();
  }
}
