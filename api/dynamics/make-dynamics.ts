// Makes the gestures of an agent: tracks in its `.imx` files, and a clip of each. Runs in a process of its own only.
import { join } from "node:path";
import { FACE_PARAMETER_COUNT } from "../../shared/face-parameters.ts";
import { GESTURE_NAMES, type GestureName } from "../../shared/gesture-names.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import { writeGestureFilm } from "../../src/face/film/write-film.ts";
import { withDynamics } from "../../src/face/gestures/imx-gestures.ts";
import type { Imx } from "../../src/face/imx/imx.ts";
import { writeImxFile } from "../../src/face/imx/imx-file.ts";
import { readImx } from "../../src/face/imx/read-imx.ts";
import { loadLipSyncModel } from "../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import type { DynamicsResult, DynamicsTask } from "./dynamics-messages.ts";

/** Writes the models and the clips that are not filmed yet. Throws EngineError: bundle-invalid for a model that cannot
 *  be used, and the errors of the media program. */
export async function makeDynamics(task: DynamicsTask, onProgress: (share: number) => void): Promise<DynamicsResult> {
  const made: Imx[] = [];
  for (const { imx, path } of task.models) {
    const withTracks = withDynamics(await readImx(imx), task);
    await writeImxFile(path, withTracks);
    made.push(withTracks);
  }
  const left = GESTURE_NAMES.filter((name) => !task.filmed.includes(name));
  const clips = left.length === 0 ? [] : await filmGestures(made[0], left, task, onProgress);
  return { clips };
}

async function filmGestures(
  imx: Imx,
  gestures: readonly GestureName[],
  { folder, ffmpegPath }: DynamicsTask,
  onProgress: (share: number) => void,
): Promise<DynamicsResult["clips"]> {
  const clips: DynamicsResult["clips"] = [];
  const runtime = createNodeRuntime();
  const lipSyncModel = await loadLipSyncModel();
  const avatar = await openAvatar(imx, runtime);
  try {
    for (const gesture of gestures) {
      const path = join(folder, `${gesture}.mp4`);
      const frames = (imx.gestures.get(gesture)?.length ?? 0) / FACE_PARAMETER_COUNT;
      // An engine for each clip: all of them begin in the same position.
      const engine = await createEngine({ avatar, runtime, lipSyncModel });
      try {
        await writeGestureFilm({ engine, avatar, gesture, frames, path, ffmpegPath });
      } finally {
        await engine.close();
      }
      clips.push({ action: gesture, path });
      onProgress(clips.length / gestures.length);
    }
  } finally {
    await avatar.close();
  }
  return clips;
}
