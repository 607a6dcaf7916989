// A process that opens an avatar (path in its first argument), renders a frame with lip sync, and says whether the
// native library of ONNX Runtime is in its memory. See rig-executor.test.ts.
import { readFile } from "node:fs/promises";
import { createEngine } from "../../../../../src/face/engine/create-engine.ts";
import { readImx } from "../../../../../src/face/imx/read-imx.ts";
import { loadLipSyncModel } from "../../../../../src/face/lip-sync/lip-sync-model.ts";
import { openAvatar } from "../../../../../src/face/rendering/open-avatar.ts";
import { createNodeRuntime } from "../../../../../src/signal/inference/node-runtime.ts";

const runtime = createNodeRuntime();
const avatar = await openAvatar(await readImx(await readFile(process.argv[2])), runtime);
const lipSyncModel = await loadLipSyncModel();
const engine = await createEngine({ avatar, runtime, lipSyncModel });
const { videoFrame } = await engine.tick();
const isLoaded = async () => (await readFile("/proc/self/maps", "utf8")).includes("libonnxruntime");
const beforeGraph = await isLoaded();
await (await runtime.createSession(lipSyncModel)).release();
process.send?.({ frameBytes: videoFrame.data.length, beforeGraph, afterGraph: await isLoaded() });
await engine.close();
await avatar.close();
process.disconnect?.();
