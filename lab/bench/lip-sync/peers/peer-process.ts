// Runs one peer over all clips in a process of its own: foreign code that prints, fills memory and expects a browser.
import { loadHeadAudio } from "./head-audio.ts";
import type { PeerAnswer, PeerLipSync, PeerName } from "./peer.ts";
import { loadRhubarb } from "./rhubarb.ts";
import { loadWawaLipsync } from "./wawa-lipsync.ts";

export interface PeerJob {
  name: PeerName;
  /** The node_modules that hold it. */
  folder: string;
  /** Mono, [−1, 1], 16 kHz. */
  recordings: Float32Array[];
}

export type PeerReport =
  | { answers: PeerAnswer[] /** CPU time of all clips, without loading, ms. */; cpuMs: number }
  | { error: string };

const LOADERS: Readonly<Record<PeerName, (folder: string) => Promise<PeerLipSync>>> = {
  HeadAudio: loadHeadAudio,
  "wawa-lipsync": loadWawaLipsync,
  Rhubarb: loadRhubarb,
};

async function run({ name, folder, recordings }: PeerJob): Promise<PeerReport> {
  const lipSync = await LOADERS[name](folder);
  // What is compiled and read at first use is no part of the lip sync.
  await lipSync(recordings[0].slice(0, 16_000));
  const answers: PeerAnswer[] = [];
  const before = process.cpuUsage();
  for (const audio of recordings) answers.push(await lipSync(audio));
  const { user, system } = process.cpuUsage(before);
  return { answers, cpuMs: (user + system) / 1000 };
}

process.on("disconnect", () => process.exit(0));
process.once("message", (job: PeerJob) => {
  run(job)
    .catch((error: unknown): PeerReport => ({ error: String(error) }))
    .then((report) => process.send?.(report));
});
