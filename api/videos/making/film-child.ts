// The film process: makes one film for the api.
import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import type { FilmResult, FilmTask } from "./film-messages.ts";
import { makeFilm } from "./make-film.ts";

/** Four times the memory of a film on the largest canvas. */
const MAX_MEMORY_BYTES = 2_000_000_000;

limitMemory(MAX_MEMORY_BYTES);
serveTasks<FilmTask, FilmResult>(makeFilm);
