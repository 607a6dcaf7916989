// Reads the form of a transcription: a WAV file and what is to be done with it.
import type { IncomingMessage } from "node:http";
import busboy from "busboy";
import { HEARING_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { int16AtRate } from "../../src/audio/at-rate.ts";
import { MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ } from "../../src/audio/resampler.ts";
import { readWav } from "../../src/audio/wav.ts";
import { EngineError } from "../../src/engine-error.ts";

export interface TranscriptionForm {
  /** Mono at 16 kHz. */
  samples: Int16Array;
  /** Expected language. */
  language: string | undefined;
  format: TranscriptionFormat;
}

const FORMATS = ["json", "text", "verbose_json"] as const;
export type TranscriptionFormat = (typeof FORMATS)[number];

/** Ten minutes at 16 kHz take 19 MB. */
const MAX_FILE_BYTES = 20_000_000;
const MAX_FIELD_BYTES = 1_000;
const MAX_FIELDS = 20;
const LANGUAGE = /^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]+)*$/;

/** Throws EngineError: invalid-input (no form, no file, or fields that are wrong), too-large. Fields that we do not
 *  know are ignored. */
export async function readTranscriptionForm(request: IncomingMessage): Promise<TranscriptionForm> {
  const { file, fields } = await readForm(request);
  const format = fields.get("response_format") ?? "json";
  if (!isFormat(format)) throw wrong(`response_format must be one of ${FORMATS.join(", ")}.`);
  const language = fields.get("language") || undefined;
  if (language !== undefined && !LANGUAGE.test(language)) throw wrong("language must be an ISO 639-1 code.");
  if (!file) throw wrong("file is missing.");
  const { samples, sampleRateHz } = readWav(file);
  return { samples: toHearingRate(samples, sampleRateHz), language, format };
}

function isFormat(text: string): text is TranscriptionFormat {
  return FORMATS.some((format) => format === text);
}

function toHearingRate(samples: Int16Array, rateHz: number): Int16Array {
  if (rateHz < MIN_SAMPLE_RATE_HZ || rateHz > MAX_SAMPLE_RATE_HZ)
    throw wrong(`A rate of ${rateHz} Hz is not accepted.`);
  return int16AtRate(samples, rateHz, HEARING_SAMPLE_RATE_HZ);
}

interface Form {
  file: Buffer | undefined;
  fields: ReadonlyMap<string, string>;
}

async function readForm(request: IncomingMessage): Promise<Form> {
  const parts: Buffer[] = [];
  const fields = new Map<string, string>();
  let hasFile = false;
  try {
    const limits = { fileSize: MAX_FILE_BYTES, files: 1, fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS };
    const parser = busboy({ headers: request.headers, limits });
    await new Promise<void>((resolve, reject) => {
      parser.on("file", (_, stream) => {
        hasFile = true;
        stream.on("data", (part: Buffer) => parts.push(part));
        stream.on("limit", () => reject(new EngineError("too-large", "The file is larger than 20 MB.")));
        stream.on("error", reject);
      });
      parser.on("field", (name, value) => fields.set(name, value));
      parser.on("error", reject).on("close", resolve);
      request.on("aborted", () => reject(new Error("the client went away")));
      request.pipe(parser);
    });
  } catch (cause) {
    request.unpipe();
    if (cause instanceof EngineError) throw cause;
    throw new EngineError("invalid-input", "The body must be a form with a WAV file.", { cause });
  }
  return { file: hasFile ? Buffer.concat(parts) : undefined, fields };
}

function wrong(message: string): EngineError {
  return new EngineError("invalid-input", message);
}
