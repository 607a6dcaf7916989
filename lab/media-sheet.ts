// `npm run demo:media`: every voice, face and gesture as files, with a page to look at and listen to.
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { installedVoice } from "../cli/commands/voices/installed-voice.ts";
import { describeStartError } from "../cli/start/start-error.ts";
import { toCliError } from "../cli/terminal/cli-error.ts";
import { interruptible } from "../cli/terminal/interrupt.ts";
import { mediaPage } from "./media-sheet/media-page.ts";
import { makeMediaSheet } from "./media-sheet/media-sheet.ts";

interface MediaFlags {
  out: string;
  json: boolean;
  quick: boolean;
}

const program = new Command("npm run demo:media --")
  .description("Lets every voice say its name, films every face of the gallery for 20 s, and every gesture.")
  .option("--out <folder>", "where the files and index.html are written", "demo-media")
  .option("--json", "print one JSON object", false)
  .option("--quick", "a few seconds of a few of them", false)
  .parse();

const flags = program.opts<MediaFlags>();
const folder = resolve(flags.out);
const voice = installedVoice(process.env);
try {
  const startedMs = performance.now();
  const say = (line: string) => (flags.json ? process.stderr : process.stdout).write(`  ${line}\n`);
  const items = await interruptible(
    (signal) =>
      makeMediaSheet({
        folder,
        voice,
        ffmpegPath: process.env.FFMPEG_PATH,
        isQuick: flags.quick,
        signal,
        onItem: ({ file, seconds }) => say(`${file} (${seconds.toFixed(1)} s)`),
      }),
    `The files made so far are in ${folder}, without a page.`,
  );
  const index = join(folder, "index.html");
  await writeFile(index, mediaPage(items));
  const wallSeconds = (performance.now() - startedMs) / 1000;
  if (flags.json) process.stdout.write(`${JSON.stringify({ index, wall_seconds: wallSeconds, items })}\n`);
  else say(`${index}: ${items.length} files in ${wallSeconds.toFixed(0)} s`);
} catch (error) {
  const failure = toCliError(error);
  process.exitCode = failure.exitCode;
  process.stderr.write(`\n${failure.kind === "internal" ? describeStartError(error) : failure.message}\n`);
} finally {
  await voice.close();
}
