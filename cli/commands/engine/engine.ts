// `avatar engine`: the renderers of this computer.
import { Argument, type Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";

export function registerEngine(program: Command, environment: Environment): void {
  const engine = program.command("engine").description("Show what renders on this computer, or install it");
  engine
    .command("list")
    .description("List the renderers of this computer: WebAssembly, CPU and GPU")
    .option("--json", "print one JSON object: renderers")
    .action(async ({ json }: { json?: boolean }) => {
      const { listRenderers } = await import("./list-renderers.ts");
      await listRenderers({ json });
    });
  engine
    .command("install")
    .description("Fetch a renderer: cpu from npm; for cuda, the steps are printed")
    .addArgument(new Argument("[renderer]", "which one").choices(["cpu", "cuda"]).default("cpu"))
    .option("--force", "fetch it although it is there")
    .option("--json", "print one JSON object: renderer, state, packages and steps")
    .action(async (renderer: "cpu" | "cuda", options: { force?: boolean; json?: boolean }) => {
      const { installRenderer } = await import("./install-renderer.ts");
      await installRenderer(renderer, options, environment);
    });
}
