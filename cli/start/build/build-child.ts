// The process that builds pages and programs for the start command. It ends afterwards, and gives back the memory of
// two compilers.
import { buildWeb } from "../../../web/build.ts";
import { buildPrograms } from "./build-programs.ts";
import type { BuildOutcome } from "./build-service.ts";

async function build(): Promise<BuildOutcome> {
  try {
    const [pages, programs] = await Promise.all([buildWeb(), buildPrograms()]);
    return { hasBuiltPages: pages.built, programs };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

build().then((outcome) => process.send?.(outcome, () => process.exit(0)));
