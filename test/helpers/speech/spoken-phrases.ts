// Statements and questions in five languages, said by the built-in formant voice into one recording, with the exact
// times of phrases and words: what a listening face is measured with.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { int16AtRate } from "../../../src/signal/audio/at-rate.ts";
import { decodeG711, encodeG711, G711_SAMPLE_RATE_HZ } from "../../../src/signal/audio/g711.ts";
import { joinSamples } from "../../../src/signal/audio/join-samples.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";
import { joinPieces } from "../../../src/speech/voice/join-pieces.ts";

/** Sentences by language. A question is known by its mark. */
export const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  en: [
    "After the meeting, we went home by the lake.",
    "Would you like to come with us?",
    "The weather will stay warm and sunny for several days.",
    "Is it too late to change the order?",
    "It stopped working yesterday.",
    "Can you help me with my account?",
    "I have lived here for almost ten years.",
    "Do you deliver on Sundays?",
    "The train leaves from platform three.",
    "Have you been there before?",
    "She told me that the price would go down.",
    "Are there any seats left for tonight?",
    "I ordered the blue lamp last week, and it has not arrived yet.",
    "Should I call again tomorrow?",
    "We need two tickets for the evening show.",
    "What time does the museum open?",
  ],
  de: [
    "Ich habe gestern eine Lampe bestellt, aber sie ist noch nicht da.",
    "Möchten Sie mitkommen?",
    "Das Wetter bleibt in den nächsten Tagen warm und sonnig.",
    "Können Sie mir mit meinem Konto helfen?",
    "Wir sind nach dem Treffen am See entlang nach Hause gegangen.",
    "Ist es schon zu spät?",
  ],
  es: [
    "Ayer pedí una lámpara, pero todavía no ha llegado.",
    "¿Quieres venir con nosotros?",
    "El tiempo seguirá soleado durante varios días.",
    "¿Puede ayudarme con mi cuenta?",
    "El tren sale del andén tres.",
    "¿Es demasiado tarde?",
  ],
  fr: [
    "Le temps restera chaud et ensoleillé pendant plusieurs jours.",
    "Voulez-vous venir avec nous?",
    "Après la réunion, nous sommes rentrés par le lac.",
    "Pouvez-vous m'aider avec mon compte?",
    "Ma sœur a acheté sept parapluies.",
    "Est-ce qu'il est trop tard?",
  ],
  it: [
    "Ieri ho ordinato una lampada, ma non è ancora arrivata.",
    "Vuoi venire con noi?",
    "Il tempo resterà caldo e soleggiato per diversi giorni.",
    "Consegnate anche la domenica?",
    "Il treno parte dal binario tre.",
    "È troppo tardi?",
  ],
};

/** Shorter gaps within a sentence are part of a phrase, ms. */
const LEAST_GAP_MS = 250;
/** The silence between two sentences, ms; before the first one; and after the last. */
const GAP_MS = { least: 450, most: 1_250 };
const LEAD_MS = 1_000;

export interface Span {
  startMs: number;
  endMs: number;
}

export interface PhraseEnd {
  atMs: number;
  isQuestion: boolean;
}

export interface SpokenPhrases {
  /** Mono int16 at 16 kHz. */
  samples: Int16Array;
  ends: PhraseEnd[];
  words: Span[];
}

export interface PhraseOptions {
  voiceId: string;
  language: string;
  /** Of the gaps between sentences. Default 1. */
  seed?: number;
}

export type SpeakPhrases = (sentences: readonly string[], options: PhraseOptions) => Promise<SpokenPhrases>;

/** Calls `body` with what speaks sentences one after the other. */
export async function withPhrases<Result>(body: (speak: SpeakPhrases) => Promise<Result>): Promise<Result> {
  const voice = new EspeakVoice();
  try {
    return await body((sentences, options) => speakPhrases(voice, sentences, options));
  } finally {
    await voice.close();
  }
}

async function speakPhrases(
  voice: EspeakVoice,
  sentences: readonly string[],
  { voiceId, language, seed = 1 }: PhraseOptions,
): Promise<SpokenPhrases> {
  const draw = uniform(seed);
  const parts = [silence(LEAD_MS)];
  const spoken: SpokenPhrases = { samples: new Int16Array(0), ends: [], words: [] };
  let atMs = LEAD_MS;
  const add = (samples: Int16Array): void => {
    parts.push(samples);
    atMs += (samples.length * 1000) / SPEECH_SAMPLE_RATE_HZ;
  };
  for (const text of sentences) {
    const isQuestion = text.endsWith("?");
    const options = { voiceId, language, joinsShort: false };
    for await (const { samples, sampleRateHz, phonemes, words } of joinPieces(voice.synthesize(text, options))) {
      const runs = soundingRuns(phonemes);
      runs.forEach(({ endMs }, index) => {
        const next = runs[index + 1];
        if (next && next.startMs - endMs < LEAST_GAP_MS) return;
        spoken.ends.push({ atMs: atMs + endMs, isQuestion: isQuestion && !next });
      });
      for (const { startMs, endMs } of words) {
        // A word of the voice lasts until the next one; what is heard of it ends with its run.
        const run = runs.find((one) => startMs < one.endMs && one.startMs < endMs);
        spoken.words.push({ startMs: atMs + startMs, endMs: atMs + Math.min(endMs, run?.endMs ?? endMs) });
      }
      add(int16AtRate(samples, sampleRateHz, SPEECH_SAMPLE_RATE_HZ));
    }
    add(silence(GAP_MS.least + draw() * (GAP_MS.most - GAP_MS.least)));
  }
  spoken.samples = joinSamples(parts);
  return spoken;
}

/** Through the telephone. */
export function throughTelephone(samples: Int16Array): Int16Array {
  const narrow = int16AtRate(samples, SPEECH_SAMPLE_RATE_HZ, G711_SAMPLE_RATE_HZ);
  const heard = decodeG711(encodeG711(narrow, "ulaw"), "ulaw");
  return int16AtRate(heard, G711_SAMPLE_RATE_HZ, SPEECH_SAMPLE_RATE_HZ);
}

/** With steady noise, `belowDb` under the speech. */
export function withNoise(samples: Int16Array, belowDb: number, seed = 1): Int16Array {
  const draw = uniform(seed);
  let [power, count] = [0, 0];
  for (const sample of samples) {
    if (Math.abs(sample) < 200) continue;
    power += sample * sample;
    count += 1;
  }
  // Uniform noise within ±1 has a third of the power of a square wave.
  const reach = Math.sqrt((3 * power) / Math.max(1, count)) * 10 ** (-belowDb / 20);
  return samples.map((sample) => Math.min(32_767, Math.max(-32_768, Math.round(sample + reach * (2 * draw() - 1)))));
}

/** Numbers in [0, 1), the same for a seed. Source of the constants: Numerical Recipes. */
export function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function silence(ms: number): Int16Array {
  return new Int16Array(Math.round((ms * SPEECH_SAMPLE_RATE_HZ) / 1000));
}

/** Phonemes without a pause between them. A pause is a phoneme without a letter. */
function soundingRuns(phonemes: readonly { text: string; startMs: number; endMs: number }[]): Span[] {
  const runs: Span[] = [];
  for (const { text, startMs, endMs } of phonemes) {
    if (text === "") continue;
    const last = runs.at(-1);
    if (last && startMs - last.endMs < 1) last.endMs = endMs;
    else runs.push({ startMs, endMs });
  }
  return runs;
}
