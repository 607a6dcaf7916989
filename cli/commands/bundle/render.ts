// `avatar render`: a film of a face that speaks an audio file or a text.
import type { Command } from "commander";
import { EXPRESSION_NAMES } from "../../../shared/expressions.ts";
import type { Environment } from "../../terminal/environment.ts";
import { addImageOptions } from "./image-options.ts";
import type { RenderRequest } from "./render-film.ts";

export function registerRender(program: Command, environment: Environment): void {
  addImageOptions(program.command("render"))
    .description(
      "Render a film of a portrait or .imx bundle that speaks an audio file or a text: MP4, H.264, AAC, 25 fps",
    )
    .argument("<avatar>", ".imx bundle or portrait image, slug of a sample (avatar list), or code of your agent")
    .argument("[audio]", "audio file: WAV, or anything FFmpeg reads")
    .option("-o, --output <file>", "film to write (default: the audio file's name with .mp4, in the current folder)")
    .option("--text <words>", "speak this text with a built-in voice, instead of an audio file")
    .option("--voice <id>", "voice for --text: M1 to M5, F1 to F5, or a fetched one (default: M1)")
    .option("--language <code>", "language of --text, such as en, de, fr (default: en)")
    .option("--speed <factor>", "tempo of --text, 0.7 to 2 (default: 1.05)")
    .option("--family <name>", "model family for baking an image", "essence-2")
    .option("--limit <frames>", "stop after this many frames; 25 are a second")
    .option("--expressiveness <size>", "size of mouth movements, 0 (calm) to 1 (lively)", "0.5")
    .option("--emotion <name[:0..1]>", `what the face shows: ${EXPRESSION_NAMES.join(", ")}`, "neutral")
    .option("--seed <number>", "seed of idle motion: blinks and head motion", "1")
    .option("--json", "print one JSON object about the film")
    .action(async (avatar: string, audio: string | undefined, options: RenderRequest) => {
      const { renderFilm } = await import("./render-film.ts");
      await renderFilm(avatar, audio, options, environment);
    });
}
