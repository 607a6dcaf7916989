// Whether the lips are seen shut when the voice says P, B and M.
import { HOP_MS } from "../../../shared/units.ts";
import { hopSamplesAt, SegmentSequencer } from "../../../src/face/engine/segment-sequencer.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { LipSyncStream } from "../../../src/face/lip-sync/lip-sync-stream.ts";
import { loadLipSyncNetwork } from "../../../src/face/lip-sync/load-lip-sync-network.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import type { SpokenSentence } from "../../../src/speech/voice/voice.ts";
import { closuresOf } from "../lip-sync/mouth-motion.ts";

/** Full of P, B and M. */
export const BILABIAL_SENTENCES: readonly string[] = [
  "Please bring my big blue paper bag back home before Monday.",
  "My mother may make some more marmalade for Bob.",
  "Pamela bought a bumpy purple pumpkin by the pub.",
  "Maybe the bumblebee came from behind the maple branch.",
  "Put the empty bottle beside the pepper and the plum jam.",
  "Rob climbed up the bamboo ladder to pick some apples.",
  "My problem is a broken lamp above the marble table.",
  "A member of the committee prepared a simple map.",
  "Bob promised to help me move my piano by September.",
  "The plumber mopped up the warm bubbles by himself.",
  "Many people jump and clap when the band begins to play.",
];

const TOLERANCE_MS = 40;
const RATE_HZ = 24_000;
/** Above it the lips are rendered shut. */
const SHUT = 0.5;

/** A closure counts as seen if a frame is shut with its middle no more than 40 ms from its own. Its time is that of
 *  the lips: the voice's phonemes, moved by what was measured in its sound (models/voice/README.md). */
export async function lipClosures(sentences: readonly SpokenSentence[]): Promise<{ closures: number; seen: number }> {
  const network = await loadLipSyncNetwork(createNodeRuntime(), await loadLipSyncModel());
  const result = { closures: 0, seen: 0 };
  try {
    for (const sentence of sentences) {
      const sequencer = new SegmentSequencer({
        stream: new LipSyncStream(network),
        outputRateHz: RATE_HZ,
        audioLeadTicks: 0,
      });
      const shutMs = await shutFrames(sequencer, sentence);
      const closures = closuresOf(sentence.visemes);
      result.closures += closures.length;
      result.seen += closures.filter(({ startMs, endMs }) =>
        shutMs.some((atMs) => Math.abs(atMs - (startMs + endMs) / 2) <= TOLERANCE_MS),
      ).length;
    }
  } finally {
    await network.close();
  }
  return result;
}

/** Middles of the frames with shut lips, ms from the start of the sentence. */
async function shutFrames(sequencer: SegmentSequencer, sentence: SpokenSentence): Promise<number[]> {
  const segment = sequencer.open("sentence", sentence.sampleRateHz);
  sequencer.push(segment, sentence.samples, sentence.visemes);
  segment.end();
  const audio = new Int16Array(hopSamplesAt(RATE_HZ));
  const shut: number[] = [];
  for (let isOver = false; !isOver; ) {
    await sequencer.computeAhead();
    const { speech, speechSamples, positionMs, events } = sequencer.step(audio);
    if (speech && speechSamples > 0 && speech.closurePeak > SHUT) shut.push(positionMs + HOP_MS / 2);
    isOver = events.some(({ type }) => type === "segment-finished");
  }
  return shut;
}
