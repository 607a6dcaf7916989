// What the avatar knows of one language. Optional parts say what holds without them.
import type { GestureName } from "../../../shared/gesture-names.ts";
import type { SpeechLanguage } from "./reading/speech-language.ts";

/** `failed`: the language model did not answer. `no-llm`: there is none. `not-understood`: the words were not
 *  understood. */
export type FixedSentence = "failed" | "no-llm" | "not-understood";

/** A gesture, and the words with which a sentence begins that it belongs to, separated by `|`. They are in lower case,
 *  without accents and apostrophes. */
export type Cue = readonly [gesture: GestureName, words: string];

/** Ids of the built-in voices: men's and women's. */
type BuiltInVoice = `${"M" | "F"}${1 | 2 | 3 | 4 | 5}`;

/** How the neural voice speaks a language. */
export interface NeuralLanguage {
  /** Style table of each voice. */
  styles: Readonly<Record<BuiltInVoice, string>>;
  /** The formant synthesizer's name of the language, which finds the phonemes; null: our own pronouncer. */
  phonemeLanguage: string | null;
  /** Tag under which text is prepared. Without: the language's own code. */
  textLanguage?: string;
  /** Regions that the neural voice does not speak, in lower case. */
  otherRegions?: readonly string[];
}

export interface Language {
  /** As English prompts name it, in lower case. */
  englishNames: readonly string[];
  /** What an agent of this name says first; the name may be empty. */
  greeting(name: string): string;
  /** What the avatar says when it cannot answer. */
  fixedSentences: Readonly<Record<FixedSentence, string>>;
  /** Words with which a listener shows that it listens, separated by `|`, in lower case, without accents and marks.
   *  Without: those of English, some of which are said everywhere. */
  backchannels?: string;
  /** Gestures that belong to what is said; the first that matches counts. Without: sentences have no gesture. */
  cues?: readonly Cue[];
  /** Letters of its script. With them a text is detected by its letters. */
  script?: RegExp;
  /** Those of these letters that other languages of the script lack. */
  ownLetters?: RegExp;
  /** Short words that are frequent here and rare in other languages. Without, and without a script: never detected. */
  frequentWords?: ReadonlySet<string>;
  /** PostgreSQL's text search configuration, which stems words. Without: words are not stemmed. */
  textSearch?: string;
  /** The formant synthesizer's name of the language. Without: the code. */
  synthesizerName?: string;
  /** Without: the formant voice speaks it. */
  neural?: NeuralLanguage;
  /** How numbers, dates and signs are said. Without: the synthesizer reads them. */
  speech?: SpeechLanguage;
  /** The same for regions that differ, by their code in lower case. */
  regionalSpeech?: Readonly<Record<string, SpeechLanguage>>;
}

/** A set of words from one line. */
export function wordSet(line: string): ReadonlySet<string> {
  return new Set(line.split(" "));
}

/** One style for all women's voices (`f`) and one for all men's (`m`). */
export function twoStyles(f: string, m: string): NeuralLanguage["styles"] {
  return { M1: m, M2: m, M3: m, M4: m, M5: m, F1: f, F2: f, F3: f, F4: f, F5: f };
}
