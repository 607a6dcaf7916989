// `avatar hear`: what the hearing network makes of sound files, picture by picture.
import type { Command } from "commander";

export function registerHear(program: Command): void {
  program
    .command("hear")
    .description(
      "Write what the mouth does for sound files, one JSON line for each: visemes, closures, face parameters at 25 fps",
    )
    .argument("<files...>", "sound files: WAV, or anything FFmpeg reads")
    .option("--expressiveness <size>", "size of mouth movements, 0.5 to 1.5", "1")
    .option("--json", "JSON lines (the only form there is)")
    .action(async (files: string[], options: { expressiveness: string }) => {
      const { hearFiles } = await import("./hear-files.ts");
      await hearFiles(files, Number(options.expressiveness), (line) => process.stdout.write(`${line}\n`));
    });
}
