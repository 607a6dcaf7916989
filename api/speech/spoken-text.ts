// Checks a text before it is spoken.
import { ServiceError } from "../../shared/errors.ts";
import { takeExpressionTags } from "../../src/speech/text/expression-tags.ts";
import { prepareSpeech } from "../../src/speech/text/prepare-speech.ts";

/** As in `speak` and in talking videos: five to six minutes. */
const MAX_TEXT_CHARACTERS = 5_000;
/** What is said may be longer than what is written: 5,000 digits are half an hour. This is a quarter of one. */
const MAX_SPOKEN_CHARACTERS = 15_000;

/** What is spoken of a text, which may have tags of expressions: they are for faces. Throws VALIDATION_ERROR for a text
 *  that is too long without them, or in which nothing can be said. `field`: its name in the request. */
export function speakableText(tagged: string, language: string, field: string): string {
  const { text } = takeExpressionTags(tagged);
  // The first test is quick, the second one exact.
  if (text.length > 2 * MAX_TEXT_CHARACTERS || [...text].length > MAX_TEXT_CHARACTERS) {
    throw new ServiceError("VALIDATION_ERROR", `${field} has more than ${MAX_TEXT_CHARACTERS} characters`);
  }
  let spoken = 0;
  for (const sentence of prepareSpeech(text, language)) {
    spoken += sentence.spoken.length;
    if (spoken <= MAX_SPOKEN_CHARACTERS) continue;
    throw new ServiceError("VALIDATION_ERROR", `${field} takes more than a quarter of an hour to speak. Shorten it.`);
  }
  if (spoken === 0) throw new ServiceError("VALIDATION_ERROR", `${field} has no words to speak`);
  return text;
}
