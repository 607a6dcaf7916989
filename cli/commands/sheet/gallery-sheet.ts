// `avatar gallery-sheet`: one wall of the poses of every image in a folder, for visual inspection.
import type { Command } from "commander";
import { addImageOptions } from "../bundle/image-options.ts";
import type { GallerySheetRequest } from "./write-gallery-sheet.ts";

export function registerGallerySheet(program: Command): void {
  addImageOptions(program.command("gallery-sheet"))
    .description("Render rest, AA, OO, M, F, smile and blink of every image in a folder into one PNG")
    .argument("<folder>", "folder of portraits or .imx bundles")
    .requiredOption("-o, --output <file>", "PNG to write")
    .option("--family <name>", "model family for baking the images", "essence-2")
    .option("--expressions", "show the eight expressions at full strength instead")
    .option("--cell <px>", "side of one pose, px", "224")
    .option("--columns <count>", "images side by side", "2")
    .option("--json", "print one JSON object about the images")
    .action(async (folder: string, options: GallerySheetRequest) => {
      const { writeGallerySheet } = await import("./write-gallery-sheet.ts");
      await writeGallerySheet(folder, options);
    });
}
