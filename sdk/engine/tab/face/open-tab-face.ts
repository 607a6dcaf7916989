// Opens an `.imx` as a face that lives in this tab, on the GPU if the browser has one, otherwise on the CPU.
import { config } from "zod/mini";
import { EngineError } from "../../../../shared/engine-error.ts";
import type { Imx } from "../../../../src/face/imx/imx.ts";
import { readImx } from "../../../../src/face/imx/read-imx.ts";
import type { Avatar } from "../../../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../../../src/face/rendering/open-avatar.ts";
import { runsWebAssembly } from "../../../../src/signal/inference/runs-web-assembly.ts";
import { createWebRuntime, type WebRuntime } from "../../../../src/signal/inference/web-runtime.ts";
import { createTabFace } from "./create-tab-face.ts";
import type { PlayerEvents } from "./face-player.ts";
import type { TabFace } from "./tab-face.ts";

export interface TabFaceOptions extends PlayerEvents {
  /** Bytes of the `.imx`. */
  bundle: Uint8Array;
  /** Bytes of the lip-sync weights; see `fetchLipSyncWeights`. */
  lipSyncWeights: Uint8Array | Promise<Uint8Array>;
  /** At SAMPLE_RATE_HZ. Need not run. Stays the page's, which resumes it when the visitor taps. */
  audio: AudioContext;
  /** Gets the size of the frames, and shows the face from now on. */
  canvas: HTMLCanvasElement;
}

/** Throws EngineError where the browser or the page's policy runs no WebAssembly: before anything is loaded. */
export function assertWebAssembly(): void {
  if (runsWebAssembly()) return;
  throw new EngineError(
    "unavailable",
    "This browser does not run WebAssembly here, which a face in the tab needs. Allow it for this page, or use another browser.",
  );
}

/** Resolves with a face that moves. Rejects with EngineError for a file that cannot be used and for a browser
 *  without WebAssembly, and with Error if the weights did not come. */
export async function openTabFace({ bundle, lipSyncWeights, ...rest }: TabFaceOptions): Promise<TabFace> {
  // Zod would otherwise try to compile code, which the pages' policies forbid.
  config({ jitless: true });
  assertWebAssembly();
  const weights = Promise.resolve(lipSyncWeights);
  // Awaited below; the file may be refused first.
  weights.catch(() => undefined);
  const { avatar, runtime } = await openAnywhere(await readImx(bundle));
  return createTabFace({ ...rest, avatar, runtime: runtime.processor, lipSyncWeights: weights });
}

async function openAnywhere(imx: Imx): Promise<{ avatar: Avatar; runtime: WebRuntime }> {
  const runtime = await createWebRuntime();
  try {
    return { runtime, avatar: await openAvatar(imx, runtime) };
  } catch (error) {
    if (runtime.provider === "wasm") throw error;
    // Drivers differ in what they can; every browser can do this.
    const fallback = await createWebRuntime({ provider: "wasm" });
    return { runtime: fallback, avatar: await openAvatar(imx, fallback) };
  }
}
