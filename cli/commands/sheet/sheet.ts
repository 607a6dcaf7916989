// `avatar sheet`: all poses of a face in one image, and a ten-second film, for visual inspection.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import { addImageOptions } from "../bundle/image-options.ts";
import type { SheetRequest } from "./write-sheet.ts";

export function registerSheet(program: Command, environment: Environment): void {
  addImageOptions(program.command("sheet"))
    .description("Render all poses of a portrait or bundle into one PNG, and a ten-second film")
    .argument("<portrait>", "portrait image or .imx bundle")
    .option(
      "-o, --output <file>",
      "PNG to write; the film has the same name with .mp4 (default: the portrait's name with -sheet.png)",
    )
    .option("--family <name>", "model family for baking an image", "essence-2")
    .option("--close-up", "show only the middle of the face, enlarged")
    .option("--no-film", "write only the sheet")
    .option("--expressiveness <size>", "size of the film's mouth movements, 0 (calm) to 1 (lively)", "0.5")
    .option(
      "--compare <sheet>",
      "compare with an earlier sheet and list the poses that differ; exit code 1 if there are any",
    )
    .option("--json", "print one JSON object about the files")
    .action(async (portrait: string, options: SheetRequest) => {
      const { writeSheet } = await import("./write-sheet.ts");
      await writeSheet(portrait, options, environment);
    });
}
