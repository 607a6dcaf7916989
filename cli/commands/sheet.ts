// `avatar sheet`: every pose of a face in one picture, for the eye to judge.
import type { Command } from "commander";

export function registerSheet(program: Command): void {
  program
    .command("sheet")
    .description("Draw all poses of a portrait or bundle side by side into one PNG")
    .argument("<portrait>", "picture of a face, or an .imx bundle")
    .requiredOption("-o, --output <file>", "PNG to write")
    .option("--points <file>", "JSON with 478 face points [x, y, z] in pixels, instead of finding the face")
    .option("--family <name>", "model family to bake a picture for", "essence-2")
    .option("--close-up", "show the middle of the face only, enlarged")
    .action(
      async (portrait: string, options: { output: string; points?: string; family: string; closeUp?: boolean }) => {
        const { writeSheet } = await import("./write-sheet.ts");
        await writeSheet(portrait, options);
      },
    );
}
