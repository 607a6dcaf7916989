// Speech to text on any server with the OpenAI protocol's `/audio/transcriptions`: the operator's, or our own speech
// recognition.

import { EngineError, isEngineError } from "../../../shared/engine-error.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { writeWav } from "../../signal/audio/wav.ts";

export interface TranscriptionSettings {
  /** Base URL including the version, for example `http://127.0.0.1:8000/v1`. */
  baseUrl: string;
  /** Sent as Bearer; absent for servers without keys. */
  apiKey?: string;
  /** Further headers. They do not replace the client's own. */
  headers?: Readonly<Record<string, string>>;
  /** The server's name of its model. */
  model: string;
  /** Longest wait for a text, ms. */
  timeoutMs: number;
}

export interface TranscribeOptions {
  /** Expected language, a BCP 47 tag. Default: the server finds out. */
  language?: string;
  signal?: AbortSignal;
}

export interface Transcription {
  /** What was said; empty if there was no speech. */
  text: string;
  /** ISO 639-1 code; undefined if the server does not tell. */
  language: string | undefined;
  /** Mean natural logarithm of the probabilities of the tokens; undefined if the server does not tell. */
  meanLogProbability?: number;
}

export interface TranscriptionAnswer {
  status: number;
  text: string;
}

/** Sends a form and resolves with the whole answer. Rejects if the server is not reached or breaks off, and with the
 *  signal's reason. */
export type RequestTranscription = (form: FormData, signal: AbortSignal) => Promise<TranscriptionAnswer>;

/** The text of ten minutes has some 10,000 characters. */
const MAX_ANSWER_CHARACTERS = 200_000;
const LANGUAGE_CODE = /^[a-z]{2,3}$/;

export class TranscriptionClient {
  readonly #settings: TranscriptionSettings;
  readonly #request: RequestTranscription;

  /** Connects with the first utterance. `request`: default by `fetch`. */
  constructor(settings: TranscriptionSettings, request: RequestTranscription = fetchTranscription(settings)) {
    this.#settings = settings;
    this.#request = request;
  }

  /** `samples`: mono at 16 kHz. Throws EngineError: upstream-unavailable (not reached, busy, or it broke off), timeout,
   *  program-failed (it refused, or sent no text). Rejects with the signal's reason if it is aborted. */
  async transcribe(samples: Int16Array, { language, signal }: TranscribeOptions = {}): Promise<Transcription> {
    signal?.throwIfAborted();
    const { model, timeoutMs } = this.#settings;
    const late = AbortSignal.timeout(timeoutMs);
    const form = new FormData();
    form.set("model", model);
    form.set("response_format", "json");
    const code = language?.split("-")[0].toLowerCase();
    if (code) form.set("language", code);
    const wav = writeWav({ samples, sampleRateHz: SPEECH_SAMPLE_RATE_HZ });
    // Servers tell the format by the name.
    form.set("file", new Blob([Buffer.from(wav)], { type: "audio/wav" }), "utterance.wav");
    try {
      return read(await this.#request(form, signal ? AbortSignal.any([signal, late]) : late));
    } catch (cause) {
      signal?.throwIfAborted();
      if (isEngineError(cause)) throw cause;
      if (late.aborted) {
        throw new EngineError("timeout", `The recognition server sent no text within ${timeoutMs / 1000} s.`, {
          cause,
        });
      }
      throw new EngineError("upstream-unavailable", "The recognition server cannot be reached, or broke off.", {
        cause,
      });
    }
  }
}

/** Address and headers of the requests. */
export function transcriptionRequest({
  baseUrl,
  apiKey,
  headers,
}: Pick<TranscriptionSettings, "baseUrl" | "apiKey" | "headers">): { url: string; headers: Record<string, string> } {
  const own = { accept: "application/json", ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) };
  return { url: `${baseUrl.replace(/\/+$/, "")}/audio/transcriptions`, headers: { ...headers, ...own } };
}

/** Sends requests to the operator's server, which may have a private address, and to no other: redirects are
 *  refused. */
function fetchTranscription(
  settings: Pick<TranscriptionSettings, "baseUrl" | "apiKey" | "headers">,
): RequestTranscription {
  const { url, headers } = transcriptionRequest(settings);
  return async (body, signal) => {
    const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
    return { status: answer.status, text: await readTranscription(answer.body ?? []) };
  };
}

/** The text of an answer's body. Throws EngineError program-failed if it is longer than any transcription. */
export async function readTranscription(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of body) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_ANSWER_CHARACTERS) {
      throw new EngineError("program-failed", "The recognition server sent more than a text.");
    }
  }
  return text + decoder.decode();
}

function read({ status, text: body }: TranscriptionAnswer): Transcription {
  if (status === 408 || status === 429 || status >= 500) {
    throw new EngineError("upstream-unavailable", `The recognition server answered with status ${status}.`);
  }
  if (status !== 200) {
    throw new EngineError("program-failed", `The recognition server refused the sound with status ${status}.`);
  }
  const { text, language, avg_logprob: mean } = parse(body);
  if (typeof text !== "string") throw new EngineError("program-failed", "The recognition server sent no text.");
  // Some servers say "english".
  const code = typeof language === "string" && LANGUAGE_CODE.test(language) ? language : undefined;
  return { text: text.trim(), language: code, ...(typeof mean === "number" && { meanLogProbability: mean }) };
}

function parse(body: string): { text?: unknown; language?: unknown; avg_logprob?: unknown } {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}
