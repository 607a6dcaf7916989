// A baker that hands out a small ready avatar: a real `.imx` that passes every check and opens in the engine, in milliseconds and not
// in seconds. Faces are still found by the real process.
import type { Baker } from "../../api/agents/agent-services.ts";
import { PortraitProcess } from "../../api/agents/portraits/portrait-process.ts";
import type { Logger } from "../../shared/log.ts";
import { writeImx } from "../../src/imx/write-imx.ts";
import { smallAvatar } from "./small-avatar.ts";

/** Starts a process only if a face must be found. */
export function goldenBaker(logger: Logger): Baker {
  const finder = new PortraitProcess({ logger });
  return {
    locate: (input) => finder.locate(input),
    async bake({ family }, onProgress = () => undefined) {
      const avatar = await smallAvatar();
      onProgress(0.5);
      const imx = await writeImx({ ...avatar, manifest: { ...avatar.manifest, family } });
      onProgress(1);
      return { imx };
    },
    close: () => finder.close(),
  };
}
