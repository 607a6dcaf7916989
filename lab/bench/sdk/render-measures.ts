// How soon `avatar render` of the archive has its first frame.
import { execFile } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { writeWav } from "../../../src/signal/audio/wav.ts";
import { bakedFace } from "../../../test/helpers/faces/baked-face.ts";
import type { Figure } from "./figure.ts";
import type { UnpackedCommand } from "./unpacked-command.ts";

const RUNS = 11;
const RATE_HZ = 16_000;
/** In the place of FFmpeg: says when the first byte of the first frame has come, and ends. */
const WATCH = '#!/bin/sh\nhead -c 1 >/dev/null\ndate +%s%3N >"$0.at"\n';
const run = promisify(execFile);

export interface RenderOptions extends Pick<UnpackedCommand, "folder" | "script"> {
  /** A module that prints the CPU time of its process, ms, when that ends. */
  counter: string;
  /** Path of the archive of the lip-sync network. */
  lipSync: string;
}

/** Wall time from the start of the process, and its CPU time, for a bundle of 512 × 512. */
export async function measureRender(
  { folder, script, counter, lipSync }: RenderOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Figure[]> {
  await run("tar", ["-xzf", lipSync, "-C", folder, "package/models"]);
  const [face, speech, watch] = ["face.imx", "speech.wav", "watch"].map((name) => join(folder, name));
  await writeFile(face, await writeImx(await bakedFace("photograph")));
  const samples = Int16Array.from({ length: RATE_HZ }, (_, at) => 8000 * Math.sin(at / 20));
  await writeFile(speech, writeWav({ samples, sampleRateHz: RATE_HZ }));
  await writeFile(watch, WATCH);
  await chmod(watch, 0o755);
  const walls: number[] = [];
  const costs: number[] = [];
  for (let count = 0; count < RUNS; count++) {
    const words = ["--require", counter, script, "render", face, speech, "-o", join(folder, "film.mp4"), "--json"];
    const startedMs = Date.now();
    // The film fails, because there is no encoder: the last that it prints is its CPU time.
    const { stderr } = await run(process.execPath, words, { env: { ...environment, FFMPEG_PATH: watch } }).catch(
      (error: { stderr: string }) => error,
    );
    walls.push(Number(await readFile(`${watch}.at`, "utf8")) - startedMs);
    costs.push(Number(/[\d.]+$/.exec(stderr)?.[0]));
  }
  const figure = (name: string, values: readonly number[]): Figure => ({
    name,
    value: [...values].sort((a, b) => a - b)[values.length >> 1] / 1000,
    unit: "s",
    goal: 0.6,
    better: "lower",
  });
  return [
    figure("avatar render: process start to first frame", walls),
    figure("avatar render: CPU time of the process until then", costs),
  ];
}
