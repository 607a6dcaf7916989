// `avatar sheet`: every pose of a face in one picture and ten seconds of it in a film, for the eye to judge.
import type { Command } from "commander";
import type { Environment } from "../terminal/environment.ts";
import { addPictureOptions, type PictureRequest } from "./picture-options.ts";

export interface SheetRequest extends PictureRequest {
  output?: string;
  family: string;
  closeUp?: boolean;
  film: boolean;
  expressiveness: string;
  compare?: string;
  json?: boolean;
}

export function registerSheet(program: Command, environment: Environment): void {
  addPictureOptions(program.command("sheet"))
    .description("Draw all poses of a portrait or bundle side by side into one PNG, and film it for ten seconds")
    .argument("<portrait>", "picture of a face, or an .imx bundle")
    .option(
      "-o, --output <file>",
      "PNG to write, the film beside it as .mp4 (default: the portrait's name with -sheet.png)",
    )
    .option("--family <name>", "model family to bake a picture for", "essence-2")
    .option("--close-up", "show the middle of the face only, enlarged")
    .option("--no-film", "write the sheet only")
    .option("--expressiveness <size>", "size of the film's mouth movements, 0 (calm) to 1 (lively)", "0.5")
    .option("--compare <sheet>", "an earlier sheet: say which poses look different; exit code 1 if any does")
    .option("--json", "print one object about what was written")
    .action(async (portrait: string, options: SheetRequest) => {
      const { writeSheet } = await import("./write-sheet.ts");
      await writeSheet(portrait, options, environment);
    });
}
