// What the service says, in the language of the page: its sentences are English. What has a code or is one of a few
// sentences has a text; everything else stays as the service said it.
import { CREATION_PROGRESS, type CreationProgress } from "../../../shared/creation-progress.ts";
import type { ErrorCode } from "../../../shared/errors.ts";

export interface ServiceTexts {
  /** One sentence for each code. */
  errors: Readonly<Record<ErrorCode, string>>;
  /** For each `progress_msg`. */
  progress: Readonly<Record<CreationProgress, string>>;
}

export interface ServiceWords {
  /** Of an error. `detail` is the service's own sentence, in English; undefined if `words` are this sentence. */
  error(code: string, message: string): { words: string; detail?: string };
  /** Of a `progress_msg`. */
  progress(message: string): string;
}

/** Without texts the service's own words stay. */
export function serviceWords(texts?: ServiceTexts): ServiceWords {
  const errors: Readonly<Record<string, string>> = texts?.errors ?? {};
  const progress = new Map<string, string>(
    Object.entries(texts?.progress ?? {}).map(([key, words]) => [CREATION_PROGRESS[key as CreationProgress], words]),
  );
  return {
    error(code, message) {
      const words = Object.hasOwn(errors, code) ? errors[code] : undefined;
      return words === undefined ? { words: message } : { words, detail: message };
    },
    progress(message) {
      return progress.get(message) ?? message;
    },
  };
}
