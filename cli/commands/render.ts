// `avatar render`: a film of a face that speaks a sound file.
import type { Command } from "commander";

export interface RenderRequest {
  output?: string;
  family: string;
  limit?: string;
  expressiveness: string;
  seed: string;
  json?: boolean;
}

export function registerRender(program: Command): void {
  program
    .command("render")
    .description("Film a portrait or .imx bundle speaking a sound file: MP4, H.264 and AAC, 25 fps")
    .argument("<avatar>", "picture of a face, or an .imx bundle")
    .argument("<audio>", "sound file: WAV, or anything FFmpeg reads")
    .option("-o, --output <file>", "film to write (default: the sound file's name with .mp4, in this folder)")
    .option("--family <name>", "model family to bake a picture for", "essence-2")
    .option("--limit <seconds>", "stop after this much sound")
    .option("--expressiveness <size>", "size of mouth movements, 0.5 to 1.5", "1")
    .option("--seed <number>", "another seed gives other blinks and head movements", "1")
    .option("--json", "print one object about the film")
    .action(async (avatar: string, audio: string, options: RenderRequest) => {
      const { renderFilm } = await import("./render-film.ts");
      await renderFilm(avatar, audio, options);
    });
}
