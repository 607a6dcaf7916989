// `avatar inspect`: prints the contents of an `.imx` bundle.
import type { Command } from "commander";

export function registerInspect(program: Command): void {
  program
    .command("inspect")
    .alias("open")
    .alias("info")
    .description("Check an .imx bundle and show its manifest and members")
    .argument("<bundle>", ".imx file")
    .option("--json", "print one JSON object")
    .action(async (bundle: string, options: { json?: boolean }) => {
      const { inspectBundle } = await import("./inspect-bundle.ts");
      await inspectBundle(bundle, options.json === true);
    });
}
