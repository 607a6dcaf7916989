// `avatar doctor gpu`: checks every step of rendering on a GPU, and says what is missing.
import { Argument, type Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";

export function registerDoctor(program: Command, environment: Environment): void {
  program
    .command("doctor")
    .description("Check whether this machine can render on its GPU; exit code 69 if a step is missing")
    .addArgument(new Argument("<subject>", "what to check").choices(["gpu"]))
    .option("--json", "print one object: ready, steps")
    .action(async (_subject: string, options: { json?: boolean }) => {
      const { reportGpu } = await import("./report-gpu.ts");
      await reportGpu(environment, options);
    });
}
