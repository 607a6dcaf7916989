// The forms in which speech is answered. A stream breaks off if the voice fails.
import { Readable } from "node:stream";
import { type ErrorCode, isServiceError } from "../../shared/errors.ts";
import { wavHeader } from "../../src/signal/audio/wav.ts";
import { type EncodedFormat, encodeAudio } from "../../src/signal/media/encode-audio.ts";
import type { MediaToolOptions } from "../../src/signal/media/media-tool.ts";
import { Answer } from "../kernel/http/answer.ts";
import type { Speaking } from "./speak.ts";
import type { SpokenBytes } from "./spoken-bytes.ts";

/** Of WAV files and of /v1/tts. Source: the contract. */
export const SPEECH_RATE_HZ = 44_100;
/** With what `speak` throws. */
export const SPEECH_ERRORS: readonly ErrorCode[] = [
  "SERVICE_UNAVAILABLE",
  "UPSTREAM_ERROR",
  "UPSTREAM_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
];

const LENGTH_BYTES = 4;
/** From 45 s of audio on, a frame ends also within a sentence: it is held in memory. */
const MAX_FRAME_BYTES = 4_000_000;
/** OpenAI's clients expect a number of tokens: a word of the text counts as one, and 50 ms of audio. */
const WORD = /\S+/g;
const TOKENS_PER_SECOND = 20;

/** An answer of audio. */
export function audioAnswer(
  contentType: string,
  content: { bytes: Buffer } | { stream: Readable },
  headers: Readonly<Record<string, string>> = {},
): Answer<undefined> {
  return new Answer<undefined>({ headers: { "Content-Type": contentType, ...headers }, ...content });
}

/** A whole WAV file. Throws what reading the speech throws. */
export async function wavFile(speech: AsyncIterable<SpokenBytes>, sampleRateHz: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const { bytes } of speech) parts.push(bytes);
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([wavHeader({ sampleRateHz, sampleCount: size / 2 }), ...parts]);
}

/** A WAV file of unknown length, as it is made. */
export function wavStream(speech: Speaking, sampleRateHz: number): Readable {
  return streamOf(speech, async function* (samples) {
    yield Buffer.from(wavHeader({ sampleRateHz, sampleCount: null }));
    yield* samples;
  });
}

/** The samples without a header, as they are made. */
export function pcmStream(speech: Speaking): Readable {
  return streamOf(speech, (samples) => samples);
}

/** An encoded file, as it is made. The speech must have the rate of the format. */
export function encodedStream(speech: Speaking, format: EncodedFormat, options: MediaToolOptions): Readable {
  return streamOf(speech, (samples) => encodeAudio(samples, format, options));
}

/** A frame for each sentence, as soon as it is made: its size in bytes (uint32, big-endian), then its samples. A size
 *  of 0 ends the stream, and is missing if the voice failed. A frame has a limit: one of the longest sentences comes in
 *  several. Source: the contract. */
export function framedStream(speech: Speaking): Readable {
  return streamOf(speech, async function* () {
    let parts: Buffer[] = [];
    let frameBytes = 0;
    for await (const { bytes, endsSentence } of speech) {
      parts.push(bytes);
      frameBytes += bytes.length;
      if (!endsSentence && frameBytes < MAX_FRAME_BYTES) continue;
      yield frameOf(Buffer.concat(parts));
      [parts, frameBytes] = [[], 0];
    }
    if (frameBytes > 0) yield frameOf(Buffer.concat(parts));
    yield frameOf(Buffer.alloc(0));
  });
}

/** A stream of audio, made of `speech`, as server-sent events; `text` is what is spoken. A failure is an event, too,
 *  after which `done` is missing. Source: OpenAI's description of `stream_format`. */
export function eventStream(audio: Readable, speech: Speaking, text: string): Readable {
  async function* events(): AsyncGenerator<string> {
    try {
      for await (const bytes of audio as AsyncIterable<Buffer>) {
        yield eventOf({ type: "speech.audio.delta", audio: bytes.toString("base64") });
      }
    } catch (error) {
      const { code, message } = isServiceError(error)
        ? error
        : { code: "UPSTREAM_ERROR", message: "The voice failed." };
      yield eventOf({ type: "error", error: { code, message } });
      return;
    }
    const input = text.match(WORD)?.length ?? 0;
    const output = Math.ceil(speech.seconds * TOKENS_PER_SECOND);
    const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
    yield eventOf({ type: "speech.audio.done", usage });
  }
  const stream = Readable.from(events(), { objectMode: false });
  stream.once("close", () => audio.destroy());
  return stream;
}

function eventOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function frameOf(samples: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(samples.length);
  return Buffer.concat([length, samples]);
}

/** A stream of what `encode` makes of the samples. Destroying it ends the speech, even if nothing was read. */
function streamOf(speech: Speaking, encode: (samples: AsyncGenerator<Buffer>) => AsyncGenerator<Buffer>): Readable {
  async function* samples(): AsyncGenerator<Buffer> {
    for await (const { bytes } of speech) yield bytes;
  }
  const stream = Readable.from(encode(samples()), { objectMode: false });
  // A generator that was never started does not run its `finally`.
  stream.once("close", () => void speech.return?.());
  return stream;
}
