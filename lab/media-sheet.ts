// `npm run demo:media`: every voice, face and gesture as files, with a page to look at and listen to.
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { installedVoice } from "../cli/commands/voices/installed-voice.ts";
import { describeStartError } from "../cli/start/start-error.ts";
import { toCliError } from "../cli/terminal/cli-error.ts";
import { interruptible } from "../cli/terminal/interrupt.ts";
import { mediaPage } from "./media-sheet/media-page.ts";
import { makeMediaSheet } from "./media-sheet/media-sheet.ts";
import { writeTalkingPicture } from "./media-sheet/talking-picture.ts";

interface MediaFlags {
  out: string;
  json: boolean;
  quick: boolean;
  readme: boolean;
}

/** The picture of the README. */
const README_PICTURE = {
  path: fileURLToPath(new URL("../docs/images/talking.webp", import.meta.url)),
  galleryId: "lady-agnew",
  text: "Hello! I was painted once, and now I talk. Please, papa, believe me: both lips meet for every B, M and P.",
  sidePx: 384,
};

const program = new Command("npm run demo:media --")
  .description("Lets every voice say its name, films every face of the gallery for 20 s, and every gesture.")
  .option("--out <folder>", "where the files and index.html are written", "demo-media")
  .option("--json", "print one JSON object", false)
  .option("--quick", "a few seconds of a few of them", false)
  .option("--readme", "makes the moving picture of the README instead", false)
  .parse();

const flags = program.opts<MediaFlags>();
const folder = resolve(flags.out);
const voice = installedVoice(process.env);
const say = (line: string) => (flags.json ? process.stderr : process.stdout).write(`  ${line}\n`);
try {
  await (flags.readme ? makeReadmePicture() : makeSheet());
} catch (error) {
  const failure = toCliError(error);
  process.exitCode = failure.exitCode;
  process.stderr.write(`\n${failure.kind === "internal" ? describeStartError(error) : failure.message}\n`);
} finally {
  await voice.close();
}

async function makeReadmePicture(): Promise<void> {
  const { path } = README_PICTURE;
  const made = await interruptible(
    (signal) => writeTalkingPicture({ ...README_PICTURE, voice, signal }),
    `${path} is as it was.`,
  );
  if (flags.json) process.stdout.write(`${JSON.stringify({ path, ...made })}\n`);
  else say(`${path}: ${made.frames} frames, ${(made.bytes / 1e6).toFixed(2)} MB`);
}

async function makeSheet(): Promise<void> {
  const startedMs = performance.now();
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
}
