// `avatar bake`: an image becomes an `.imx` bundle.
import type { Command } from "commander";
import type { BakeRequest } from "./bake-bundle.ts";
import { addImageOptions } from "./image-options.ts";

export function registerBake(program: Command): void {
  addImageOptions(program.command("bake"))
    .description("Bake an .imx bundle from a portrait")
    .argument("<portrait>", "JPEG, PNG, WebP, GIF or BMP")
    .option("-o, --output <file>", "bundle to write (default: the portrait's name with .imx, in this folder)")
    .option("--family <name>", "model family", "essence-2")
    .option("--json", "print one JSON object about the bundle")
    .action(async (portrait: string, options: BakeRequest) => {
      const { bakeBundle } = await import("./bake-bundle.ts");
      await bakeBundle(portrait, options);
    });
}
