// Writes what was said in one window, always with the likeliest next token.
import { isLooped } from "./looped.ts";
import type { EncodedSpeech, RecognitionGraphs } from "./recognition-graphs.ts";
import type { Vocabulary } from "./vocabulary.ts";

export interface GreedyOptions {
  /** ISO 639-1 code that is expected. Another one is taken if it is plainly spoken. Default: the likeliest. */
  language?: string;
  /** Most tokens to write. */
  maxTokens: number;
  signal?: AbortSignal;
}

export interface GreedyText {
  /** Without spaces around it. */
  text: string;
  language: string;
  /** Probability that there is no speech, 0 to 1. */
  noSpeech: number;
  /** Mean natural logarithm of the probabilities of the tokens written, its end included. */
  meanLogProbability: number;
  /** Stopped because it repeats itself. */
  isLooped: boolean;
}

/** Another language than the expected one is plainly spoken at this probability … */
const PLAIN = 0.85;
/** … if the expected one is at most this likely. */
const UNLIKELY = 0.05;

/** Rejects with the signal's reason if it is aborted, between two tokens at the latest. */
export async function writeGreedily(
  graphs: RecognitionGraphs,
  encoded: EncodedSpeech,
  { language: expected, maxTokens, signal }: GreedyOptions,
): Promise<GreedyText> {
  const { vocabulary } = graphs;
  const begun = await graphs.step(encoded, [vocabulary.start]);
  const noSpeech = Math.exp(begun.odds[vocabulary.noSpeech]);
  const language = chooseLanguage(begun.odds, vocabulary, expected);
  const prompt = [vocabulary.languages.get(language)!, vocabulary.transcribe, vocabulary.noTimestamps];
  signal?.throwIfAborted();
  let { odds, past } = await graphs.step(encoded, prompt, begun.past);
  const tokens: number[] = [];
  let sum = 0;
  let looped = false;
  while (true) {
    const next = likeliest(odds, vocabulary, tokens.length === 0);
    sum += odds[next];
    if (next === vocabulary.end || tokens.length >= maxTokens) break;
    tokens.push(next);
    looped = isLooped(tokens);
    if (looped) break;
    signal?.throwIfAborted();
    ({ odds, past } = await graphs.step(encoded, [next], past));
  }
  const text = vocabulary.textOf(tokens).trim();
  return { text, language, noSpeech, meanLogProbability: sum / (tokens.length + 1), isLooped: looped };
}

function chooseLanguage(odds: Float32Array, { languages }: Vocabulary, expected: string | undefined): string {
  let sum = 0;
  let best = "en";
  for (const [language, token] of languages) {
    sum += Math.exp(odds[token]);
    if (odds[token] > odds[languages.get(best)!]) best = language;
  }
  const probability = (language: string): number => Math.exp(odds[languages.get(language)!]) / sum;
  if (!expected || !languages.has(expected)) return best;
  return probability(best) >= PLAIN && probability(expected) <= UNLIKELY ? best : expected;
}

function likeliest(odds: Float32Array, vocabulary: Vocabulary, isFirst: boolean): number {
  let best = vocabulary.end;
  let score = isFirst ? -Infinity : odds[best];
  for (let token = 0; vocabulary.isText(token); token++) {
    if (odds[token] <= score || vocabulary.suppressed.has(token)) continue;
    if (isFirst && vocabulary.suppressedFirst.has(token)) continue;
    best = token;
    score = odds[token];
  }
  return best;
}
