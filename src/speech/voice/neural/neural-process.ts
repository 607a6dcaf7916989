// The process of the neural voice: makes one piece of audio at a time. A process of its own because the network blocks
// its thread for up to a second, takes 350 MB, and is ended when it is not used.
import { limitMemory, serveTasks } from "../../../../program/child-process/serve-tasks.ts";
import { EngineError } from "../../../../shared/engine-error.ts";
import { createNodeRuntime } from "../../../signal/inference/node-runtime.ts";
import type { Accent } from "../../pronunciation/endings.ts";
import { EnglishPronouncer } from "../../pronunciation/english-pronouncer.ts";
import { prepareSpeech } from "../../text/prepare-speech.ts";
import { NetworkGraphs } from "./network-graphs.ts";
import type { PieceAudio, PieceTask, SpeakableSentence } from "./neural-messages.ts";
import type { PhonemeSentence } from "./phoneme-sentence.ts";
import { SentenceCache } from "./sentence-cache.ts";

/** Several times what it takes. */
const MAX_MEMORY_BYTES = 1_500_000_000;

/** British voices have a B as their first letter. Source: names of Kokoro's voices. */
const BRITISH = /^b/;
const pronouncers = new Map<Accent, Promise<EnglishPronouncer>>();

async function pronounce({ text, words }: SpeakableSentence, voice: string): Promise<PhonemeSentence> {
  const accent = BRITISH.test(voice) ? "british" : "american";
  const pronouncer = pronouncers.get(accent) ?? EnglishPronouncer.load(accent);
  pronouncers.set(accent, pronouncer);
  try {
    return { text, words: await (await pronouncer).pronounce({ words }) };
  } catch (cause) {
    throw new EngineError("unavailable", "The dictionary of the neural voice cannot be read.", { cause });
  }
}

const loading = NetworkGraphs.load(createNodeRuntime()).then((graphs) => new SentenceCache(graphs, pronounce));
let hasTasks = false;
/** A first sentence takes 0.4 s longer than the next ones: it loads the dictionary, and the graphs reserve memory. */
const FIRST_SENTENCE = { text: "Hello.", voice: "af_heart" };

async function speakFirstSentence(sentences: SentenceCache): Promise<void> {
  const { text, voice } = FIRST_SENTENCE;
  const [sentence] = prepareSpeech(text);
  const opened = await sentences.open({ sentence, voice, speed: 1, part: 0 });
  if (!hasTasks) await opened.piece(0);
}

limitMemory(MAX_MEMORY_BYTES);
const warm = loading
  .then((sentences) => (hasTasks ? undefined : speakFirstSentence(sentences)))
  // Each task reports files that cannot be loaded.
  .catch(() => undefined);
serveTasks<PieceTask, PieceAudio>(
  async ({ piece, ...task }) => {
    hasTasks = true;
    const sentences = await loading;
    return (await sentences.open(task)).piece(piece);
  },
  { loading: warm },
);
