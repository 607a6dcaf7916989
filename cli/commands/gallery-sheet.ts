// `avatar gallery-sheet`: one wall of the poses of every picture in a folder, for visual inspection.
import type { Command } from "commander";
import { addImageOptions, type ImageRequest } from "./image-options.ts";

export interface GallerySheetRequest extends Omit<ImageRequest, "points"> {
  output: string;
  family: string;
  cell: string;
  columns: string;
  json?: boolean;
}

export function registerGallerySheet(program: Command): void {
  addImageOptions(program.command("gallery-sheet"))
    .description("Render rest, AA, OO, M, F, smile and blink of every picture in a folder into one PNG")
    .argument("<folder>", "folder of portraits or .imx bundles")
    .requiredOption("-o, --output <file>", "PNG to write")
    .option("--family <name>", "model family for baking the images", "essence-2")
    .option("--cell <px>", "side of one pose, px", "224")
    .option("--columns <count>", "pictures side by side", "2")
    .option("--json", "print one JSON object about the pictures")
    .action(async (folder: string, options: GallerySheetRequest) => {
      const { writeGallerySheet } = await import("./write-gallery-sheet.ts");
      await writeGallerySheet(folder, options);
    });
}
