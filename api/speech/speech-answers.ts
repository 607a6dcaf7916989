// The forms in which speech is answered.
import { Readable } from "node:stream";
import { wavHeader } from "../../src/audio/wav.ts";
import type { SpokenBytes } from "./spoken-bytes.ts";

const LENGTH_BYTES = 4;

/** A whole WAV file. Throws what reading the speech throws. */
export async function wavFile(speech: AsyncIterable<SpokenBytes>, sampleRateHz: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const { bytes } of speech) {
    parts.push(bytes);
    size += bytes.length;
  }
  return Buffer.concat([wavHeader({ sampleRateHz, sampleCount: size / 2 }), ...parts]);
}

/** The audio without a header, as it is made. The answer breaks off if the voice fails. */
export function pcmStream(speech: AsyncIterableIterator<SpokenBytes>): Readable {
  return streamOf(speech, async function* (pieces) {
    for await (const { bytes } of pieces) yield bytes;
  });
}

/** A frame for each sentence, as soon as it is made: its size in bytes (uint32, big-endian), then its samples. A size
 *  of 0 ends the stream, and is missing if the voice failed. Source: the contract. */
export function framedStream(speech: AsyncIterableIterator<SpokenBytes>): Readable {
  return streamOf(speech, async function* (pieces) {
    let parts: Buffer[] = [];
    for await (const { bytes, endsSentence } of pieces) {
      parts.push(bytes);
      if (!endsSentence) continue;
      yield frameOf(Buffer.concat(parts));
      parts = [];
    }
    yield frameOf(Buffer.alloc(0));
  });
}

function frameOf(samples: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(samples.length);
  return Buffer.concat([length, samples]);
}

/** A stream of what `encode` makes of a speech. Destroying it ends the speech, even if nothing was read. */
export function streamOf(
  speech: AsyncIterableIterator<SpokenBytes>,
  encode: (speech: AsyncIterable<SpokenBytes>) => AsyncGenerator<Buffer>,
): Readable {
  const encoded = encode(speech);
  const stream = Readable.from(encoded, { objectMode: false });
  // A generator that was never started does not run its `finally`.
  stream.once("close", () => void speech.return?.());
  return stream;
}
