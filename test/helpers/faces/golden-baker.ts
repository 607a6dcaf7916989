// A baker that returns a small prepared avatar: a real `.imx` that passes every check and opens in the engine. It takes
// milliseconds instead of seconds. The real process still detects faces.
import type { Baker } from "../../../api/agents/portraits/portrait-process.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { RIG_GENERATOR_VERSION } from "../../../src/face/rig/bake-portrait.ts";
import { sharedPortraits } from "./shared-portraits.ts";
import { smallAvatar } from "./small-avatar.ts";

export function goldenBaker(): Baker {
  return {
    ...sharedPortraits().baker,
    async bake({ family }, onProgress = () => undefined) {
      const avatar = await smallAvatar();
      onProgress(0.5);
      const imx = await writeImx({ ...avatar, manifest: { ...avatar.manifest, family } });
      onProgress(1);
      return { imx, generatorVersion: RIG_GENERATOR_VERSION, scale: 1, notes: [] };
    },
  };
}
