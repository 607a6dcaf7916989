// Rhubarb Lip Sync, built for WebAssembly: offline speech recognition (PocketSphinx), then animation rules.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { MouthGroup } from "../../../../src/face/lip-sync/mouth-groups.ts";
import { toInt16Samples } from "../../../../src/signal/audio/samples.ts";
import { PEERS, type PeerLipSync } from "./peer.ts";

interface RhubarbModule {
  Rhubarb: {
    getLipSync(pcm: Buffer): Promise<{ mouthCues: { start: number; end: number; value: string }[] }>;
  };
}

/** Its mouth shapes: A lips shut, B narrow, C and D open, E and F round, G teeth on the lip, H tongue, X rest. Source:
 *  its README. */
const GROUP_OF_SHAPE: Readonly<Record<string, MouthGroup>> = {
  A: "bilabial",
  B: "narrow",
  C: "open",
  D: "open",
  E: "round",
  F: "round",
  G: "labiodental",
  H: "narrow",
  X: "silence",
};
const STEP_MS = 10;
const SAMPLE_RATE_HZ = 16_000;

/** Rejects with Error if the package is not the one expected. */
export async function loadRhubarb(folder: string): Promise<PeerLipSync> {
  const address = pathToFileURL(join(folder, PEERS.Rhubarb.package, "dist/index.js")).href;
  const { Rhubarb } = (await import(address)) as RhubarbModule;
  return async (audio) => {
    const { mouthCues } = await Rhubarb.getLipSync(Buffer.from(toInt16Samples(audio).buffer));
    const steps = Math.ceil((audio.length * 1000) / SAMPLE_RATE_HZ / STEP_MS);
    const groups = Array.from({ length: steps }, (_, step): MouthGroup => {
      const timeS = ((step + 0.5) * STEP_MS) / 1000;
      // Cues may overlap; the later one is shown.
      const cue = mouthCues.findLast(({ start, end }) => start <= timeS && timeS < end);
      return GROUP_OF_SHAPE[cue?.value ?? "X"] ?? "silence";
    });
    return { groups, stepMs: STEP_MS };
  };
}
