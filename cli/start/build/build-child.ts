// The process that builds pages and programs for the start command. It ends afterwards, and gives back the memory of
// two compilers.
import { fileURLToPath } from "node:url";
import { buildWeb } from "../../../web/build.ts";
import { buildPrograms } from "./build-programs.ts";
import type { BuildOutcome } from "./build-service.ts";

const WEB_OUT = fileURLToPath(new URL("../../web/dist", import.meta.url));

async function build(): Promise<BuildOutcome> {
  try {
    const [pages, programs] = await Promise.all([buildWeb({ outDir: WEB_OUT }), buildPrograms()]);
    return { hasBuiltPages: pages.built, programs };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

build().then((outcome) => process.send?.(outcome, () => process.exit(0)));
