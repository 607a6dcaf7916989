// `avatar render`: a film of a face that speaks a sound file or a text.
import type { Command } from "commander";
import type { Environment } from "../terminal/environment.ts";
import { addPictureOptions, type PictureRequest } from "./picture-options.ts";

export interface RenderRequest extends PictureRequest {
  output?: string;
  /** Said by a built-in voice instead of a sound file, with the three below. */
  text?: string;
  voice?: string;
  language?: string;
  speed?: string;
  family: string;
  limit?: string;
  expressiveness: string;
  seed: string;
  json?: boolean;
}

export function registerRender(program: Command, environment: Environment): void {
  addPictureOptions(program.command("render"))
    .description("Film a portrait or .imx bundle speaking a sound file or a text: MP4, H.264 and AAC, 25 fps")
    .argument("<avatar>", "picture of a face, or an .imx bundle")
    .argument("[audio]", "sound file: WAV, or anything FFmpeg reads")
    .option("-o, --output <file>", "film to write (default: the sound file's name with .mp4, in this folder)")
    .option("--text <words>", "say this with a built-in voice, instead of a sound file")
    .option("--voice <id>", "built-in voice for --text: M1 to M5, F1 to F5 (default: M1)")
    .option("--language <code>", "language of --text, such as en, de, fr (default: en)")
    .option("--speed <factor>", "tempo of --text, 0.7 to 2 (default: 1.05)")
    .option("--family <name>", "model family to bake a picture for", "essence-2")
    .option("--limit <seconds>", "stop after this much sound")
    .option("--expressiveness <size>", "size of mouth movements, 0 (calm) to 1 (lively)", "0.5")
    .option("--seed <number>", "another seed gives other blinks and head movements", "1")
    .option("--json", "print one object about the film")
    .action(async (avatar: string, audio: string | undefined, options: RenderRequest) => {
      const { renderFilm } = await import("./render-film.ts");
      await renderFilm(avatar, audio, options, environment);
    });
}
