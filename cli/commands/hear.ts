// `avatar hear`: what the hearing network makes of sound files, picture by picture.
import type { Command } from "commander";
import type { Environment } from "../terminal/environment.ts";

export interface HearRequest {
  expressiveness: string;
  json?: boolean;
}

export function registerHear(program: Command, environment: Environment): void {
  program
    .command("hear")
    .description("Show what the mouth does for sound files, picture by picture at 25 fps, as a live session would")
    .argument("<files...>", "sound files: WAV, or anything FFmpeg reads")
    .option("--expressiveness <size>", "size of mouth movements, 0 (calm) to 1 (lively)", "0.5")
    .option("--json", "one JSON line for each file: visemes, closures and face parameters of every picture")
    .addHelpText("after", HELP)
    .action(async (files: string[], request: HearRequest) => {
      const { hearFiles } = await import("./hear-files.ts");
      await hearFiles(files, request, environment);
    });
}

const HELP = `
Each line of --json is {file, fps: 25, visemes, closed, names, parameters}: one entry for each picture of 40 ms.
  visemes     one of sil PP FF TH DD kk CH SS nn RR aa E I O U
  closed      how shut the lips are, 0 to 1; shut above 0.5
  parameters  the face parameters in the order of names, relative to the portrait at rest
A file that cannot be heard is reported on standard error, and the next one follows.
`;
