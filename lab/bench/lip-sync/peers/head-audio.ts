// HeadAudio: Gaussian prototypes over MFCCs, made for an audio worklet; its processor runs anywhere.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { groupOf, type MouthGroup } from "../../../../src/face/lip-sync/mouth-groups.ts";
import type { Viseme } from "../../../../src/speech/visemes/visemes.ts";
import { PEERS, type PeerLipSync } from "./peer.ts";

interface Processor {
  _onmessage(message: { data: unknown }): void;
  process(samples: Float32Array): void;
}
interface VisemeEvent {
  event: string;
  viseme?: number | null;
}
interface ProcessorModule {
  Processor: new (options: object, worklet: { port: { postMessage(event: VisemeEvent): void } }) => Processor;
}
interface TrainingModule {
  Training: new () => { loadModel(address: string): Promise<{ model: unknown }> };
}

/** Its own numbering of the classes. Source: its README, appendix A. */
const VISEMES: readonly Viseme[] = "aa E I O U PP SS TH DD FF kk nn RR CH sil".split(" ") as Viseme[];
/** The worklet's block. Source: Web Audio's render quantum. */
const BLOCK_SAMPLES = 128;
const SAMPLE_RATE_HZ = 16_000;
/** Its README's example lowers the gate for soft voices; all else is its default. */
const SETTINGS = { vadGateActiveDb: -40, vadGateInactiveDb: -60 };

/** Its processor with the model that it ships. Rejects with Error if the package is not the one expected. */
export async function loadHeadAudio(folder: string): Promise<PeerLipSync> {
  const root = join(folder, PEERS.HeadAudio.package);
  const { Processor } = (await import(pathToFileURL(join(root, "modules/processor.mjs")).href)) as ProcessorModule;
  const { Training } = (await import(pathToFileURL(join(root, "modules/training.mjs")).href)) as TrainingModule;
  const bytes = await readFile(join(root, "dist/model-en-mixed.bin"));
  const { model } = await new Training().loadModel(`data:application/octet-stream;base64,${bytes.toString("base64")}`);
  return async (audio) => {
    let current: MouthGroup = "silence";
    const port = {
      postMessage: ({ event, viseme }: VisemeEvent) => {
        if (event === "ended") current = "silence";
        if (event === "viseme" && viseme !== null && viseme !== undefined) current = groupOf(VISEMES[viseme] ?? "sil");
      },
    };
    const processor = new Processor({ sampleRate: SAMPLE_RATE_HZ, parameterData: SETTINGS }, { port });
    processor._onmessage({ data: { event: "model", model, reset: true } });
    const groups: MouthGroup[] = [];
    for (let offset = 0; offset < audio.length; offset += BLOCK_SAMPLES) {
      processor.process(audio.subarray(offset, offset + BLOCK_SAMPLES));
      groups.push(current);
    }
    return { groups, stepMs: (BLOCK_SAMPLES * 1000) / SAMPLE_RATE_HZ };
  };
}
