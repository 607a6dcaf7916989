// `avatar hear`: the visemes and face parameters of audio files, frame by frame.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { HearRequest } from "./hear-files.ts";

export function registerHear(program: Command, environment: Environment): void {
  program
    .command("hear")
    .description("Print mouth shapes for audio files, frame by frame at 25 fps, exactly as in a live session")
    .argument("<files...>", "audio files: WAV, or anything FFmpeg reads")
    .option("--expressiveness <size>", "size of mouth movements, 0 (calm) to 1 (lively)", "0.5")
    .option("--json", "one JSON line per file: visemes, lip closures and face parameters of every frame")
    .addHelpText("after", HELP)
    .action(async (files: string[], request: HearRequest) => {
      const { hearFiles } = await import("./hear-files.ts");
      await hearFiles(files, request, environment);
    });
}

const HELP = `
Each line of --json is {file, fps: 25, visemes, closed, names, parameters}: one entry per frame of 40 ms.
  visemes     one of sil PP FF TH DD kk CH SS nn RR aa E I O U
  closed      lip closure, 0 to 1; closed above 0.5
  parameters  the face parameters in the order of names, relative to the portrait at rest
A file that cannot be read is reported on standard error and skipped.
`;
