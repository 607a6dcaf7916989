// What a client may ask of a session in its query. The api refuses the rest before the call; the worker checks it too.
import { realtimeVoice } from "./realtime-voices.ts";

const LANGUAGE = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$/;
const MODES: readonly string[] = ["audio", "text"];
const SHOWN_CHARACTERS = 60;

export interface SessionQuery {
  mode?: string;
  /** A name of OpenAI's, one of our ids, or the code of a designed voice. */
  voice?: string;
  /** A BCP 47 tag. */
  language?: string;
}

/** Returns why the query is refused; undefined if it is right. */
export function refusalOf({ mode, voice, language }: SessionQuery): string | undefined {
  if (mode && !MODES.includes(mode)) return `Unknown mode "${shown(mode)}". Accepted: ${MODES.join(", ")}`;
  if (voice && realtimeVoice(voice) === undefined) return `There is no voice "${shown(voice)}"`;
  if (language && !LANGUAGE.test(language)) return `The language "${shown(language)}" is not a code of ISO 639`;
  return undefined;
}

function shown(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS);
}
