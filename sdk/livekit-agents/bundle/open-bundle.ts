// Opens an avatar file for rendering in real time.
import { readFile } from "node:fs/promises";
import { pacedEngine } from "../../../room/playout/paced-engine.ts";
import { StartReserve } from "../../../room/playout/start-reserve.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import type { Engine } from "../../../src/face/engine/engine.ts";
import { readImx } from "../../../src/face/imx/read-imx.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import type { BundleMotion, BundleSource } from "./bundle-messages.ts";

export interface OpenedBundle {
  avatar: Avatar;
  engine: Engine;
  reserve: StartReserve;
  close(): Promise<void>;
}

export async function openBundle(bundle: BundleSource, { seed, expressiveness }: BundleMotion): Promise<OpenedBundle> {
  const runtime = createNodeRuntime();
  const reserve = new StartReserve();
  const lipSync = loadLipSyncModel(8);
  lipSync.catch(() => undefined);
  const avatar = await openAvatar(await readImx(typeof bundle === "string" ? await readFile(bundle) : bundle), runtime);
  try {
    const lipSyncModel = await lipSync;
    const engine = await createEngine({ avatar, runtime, lipSyncModel, seed, expressiveness, ...pacedEngine(reserve) });
    const close = async (): Promise<void> => {
      await engine.close();
      await avatar.close();
    };
    return { avatar, engine, reserve, close };
  } catch (error) {
    await avatar.close();
    throw error;
  }
}
