// The rest film process: makes one film of an agent at rest for the api.
import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import { writeRestFilm } from "../../../src/face/film/write-film.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { openFamilyAvatar } from "../../../src/face/quality/open-family-avatar.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import type { RestFilmTask } from "./film-messages.ts";

/** Four times the memory of this film. */
const MAX_MEMORY_BYTES = 1_500_000_000;

limitMemory(MAX_MEMORY_BYTES);
serveTasks<RestFilmTask, null>(async ({ imx, family, frames, filmPath: path, ffmpegPath, qualityNetworkPath }) => {
  const runtime = createNodeRuntime();
  const avatar = await openFamilyAvatar(await readImx(imx), family, { runtime, qualityNetworkPath });
  try {
    await writeRestFilm({ avatar, frames, path, ffmpegPath });
    return null;
  } finally {
    await avatar.close();
  }
});
