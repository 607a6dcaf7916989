// Runs the media soak from a bundle: its decoders start in a fifth of the time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { buildProgram } from "../../../cli/start/build/build-programs.ts";
import type { MediaSoakOptions, MediaSoakResult } from "./media-soak.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

/** As `soakMedia`; progress goes to standard error. Throws Error if its process fails. */
export async function runMediaSoak(options: Omit<MediaSoakOptions, "report">): Promise<MediaSoakResult> {
  const { script, nodeFlags } = await buildProgram("media-soak", MAIN);
  const child = spawn(process.execPath, [...nodeFlags, script, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (code !== 0) throw new Error(`the media soak failed (${code})`);
  return JSON.parse(output);
}
