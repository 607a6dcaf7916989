// `avatar gesture-sheet`: a gesture over time on several faces, for visual inspection.
import { type Command, Option } from "commander";
import { GESTURE_NAMES } from "../../../shared/gesture-names.ts";
import { addImageOptions } from "../bundle/image-options.ts";
import type { GestureSheetRequest } from "./write-gesture-sheet.ts";

export function registerGestureSheet(program: Command): void {
  addImageOptions(program.command("gesture-sheet"))
    .description("Render a gesture over time, one row for each face, into one PNG")
    .argument("<portraits...>", "portraits or .imx bundles")
    .requiredOption("-o, --output <file>", "PNG to write")
    .addOption(new Option("--gesture <name>", "what to make").choices(GESTURE_NAMES).makeOptionMandatory())
    .option("--seconds <length>", "1 to 10 (default: what the gesture takes by itself)")
    .option("--seed <number>", "another seed varies the gesture", "1")
    .option("--frames <count>", "frames of the row, evenly spread over the gesture", "16")
    .option("--cell <px>", "side of one frame, px", "160")
    .option("--family <name>", "model family for baking the images", "essence-2")
    .option("--json", "print one JSON object with the largest step of each parameter")
    .action(async (portraits: string[], options: GestureSheetRequest) => {
      const { writeGestureSheet } = await import("./write-gesture-sheet.ts");
      await writeGestureSheet(portraits, options);
    });
}
