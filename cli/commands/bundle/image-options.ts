// Options of commands that bake an image: canvas, background and face points.
import { type Command, Option } from "commander";
import { ASPECT_RATIOS, type AspectRatio } from "../../../src/face/figure/canvas-sizes.ts";

export interface ImageRequest {
  aspect: AspectRatio;
  hd?: boolean;
  background: string;
  /** JSON file with marks or face points, instead of face detection. */
  points?: string;
}

/** Adds the options and returns the command. */
export function addImageOptions(command: Command): Command {
  return command
    .addOption(new Option("--aspect <ratio>", "aspect ratio of the canvas").choices(ASPECT_RATIOS).default("1:1"))
    .option("--hd", "720 lines instead of about 500; the face keeps its size, with more of its surroundings")
    .option("--background <what>", "keep, blur, transparent (green), a color such as #204060, or an image file", "keep")
    .option("--points <file>", "JSON file with thirty face marks or 478 face points, instead of face detection");
}
