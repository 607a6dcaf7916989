// Speech that is in memory, or streams in, as pieces of samples.
import { EngineError } from "../../../shared/engine-error.ts";
import { toInt16Samples } from "../../../src/signal/audio/samples.ts";
import { isWav, type PcmAudio } from "../../../src/signal/audio/wav.ts";
import { wavPieces } from "../../../src/signal/audio/wav-pieces.ts";
import type { AudioBufferLike, Samples, Speech, SpeechStream } from "../speech.ts";

/** Bytes of a file that are looked at at a time. */
const CHUNK_BYTES = 64 * 1024;

/** What only Node, or only a browser, can read. */
export interface SpeechReader {
  /** The file at a path or an address. */
  file(place: string | URL, signal: AbortSignal | undefined): AsyncIterable<PcmAudio>;
  /** A file that is no WAV. */
  decode(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal | undefined): AsyncIterable<PcmAudio>;
  /** A track that is heard now. */
  track(track: MediaStreamTrack, signal: AbortSignal | undefined): AsyncIterable<PcmAudio>;
}

/** The pieces of any speech, mono int16. Throws EngineError: invalid-input for what is no audio, and what the reader
 *  throws. */
export function speechPieces(
  speech: Speech,
  reader: SpeechReader,
  signal: AbortSignal | undefined,
): AsyncIterable<PcmAudio> {
  if (typeof speech === "string" || speech instanceof URL) return reader.file(speech, signal);
  if (speech instanceof Uint8Array || speech instanceof ArrayBuffer)
    return bytePieces(new Uint8Array(speech), reader, signal);
  if (speech instanceof Blob) return blobPieces(speech, reader, signal);
  if (isSamples(speech)) return samplePieces(speech);
  if (isAudioBuffer(speech)) return bufferPieces(speech);
  if (isStream(speech)) return streamPieces(speech);
  if (isTrack(speech)) return reader.track(speech, signal);
  throw new EngineError(
    "invalid-input",
    "This is no speech: give a path, an address, bytes, { samples, sampleRateHz }, a stream, an AudioBuffer or a MediaStreamTrack.",
  );
}

/** The pieces of a file's bytes. */
export async function* bytePieces(
  bytes: Uint8Array<ArrayBuffer>,
  reader: SpeechReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<PcmAudio> {
  if (bytes.length === 0) throw new EngineError("invalid-input", "The recording is empty: it has no bytes.");
  yield* isWav(bytes) ? wavPieces(chunksOf(bytes)) : reader.decode(bytes, signal);
}

/** A WAV file that lies elsewhere is read as it is needed. */
async function* blobPieces(
  blob: Blob,
  reader: SpeechReader,
  signal: AbortSignal | undefined,
): AsyncGenerator<PcmAudio> {
  const head = new Uint8Array(await blob.slice(0, 12).arrayBuffer());
  if (isWav(head)) yield* wavPieces(chunksOfStream(blob.stream()));
  else yield* bytePieces(new Uint8Array(await blob.arrayBuffer()), reader, signal);
}

async function* samplePieces({ samples, sampleRateHz }: Samples): AsyncGenerator<PcmAudio> {
  for (let at = 0; at < samples.length; at += sampleRateHz) {
    yield { samples: toInt16(samples.subarray(at, at + sampleRateHz)), sampleRateHz };
  }
}

async function* bufferPieces(buffer: AudioBufferLike): AsyncGenerator<PcmAudio> {
  const { sampleRate, numberOfChannels, length } = buffer;
  const channels = Array.from({ length: numberOfChannels }, (_, channel) => buffer.getChannelData(channel));
  for (let at = 0; at < length; at += sampleRate) {
    const mono = new Float32Array(Math.min(sampleRate, length - at));
    for (const channel of channels) {
      for (let k = 0; k < mono.length; k++) mono[k] += channel[at + k] / numberOfChannels;
    }
    yield { samples: toInt16Samples(mono), sampleRateHz: sampleRate };
  }
}

async function* streamPieces(stream: SpeechStream): AsyncGenerator<PcmAudio> {
  const items = chunksOfStream<Samples | Uint8Array>(stream as AsyncIterable<Samples> | ReadableStream<Samples>);
  const first = await items.next();
  if (first.done) return;
  const all = withFirst(first.value, items);
  if (first.value instanceof Uint8Array) {
    yield* wavPieces(all as AsyncGenerator<Uint8Array>);
    return;
  }
  for await (const piece of all) {
    if (piece instanceof Uint8Array || !isSamples(piece)) {
      throw new EngineError(
        "invalid-input",
        "A stream of speech has { samples, sampleRateHz } in it, or the bytes of a WAV file.",
      );
    }
    yield* samplePieces(piece);
  }
}

/** What was looked at already, and the rest. */
export async function* withFirst<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Not every browser can go through a ReadableStream with `for await`. */
export async function* chunksOfStream<T>(stream: AsyncIterable<T> | ReadableStream<T>): AsyncGenerator<T> {
  if (Symbol.asyncIterator in stream) {
    yield* stream as AsyncIterable<T>;
    return;
  }
  const reader = (stream as ReadableStream<T>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

function toInt16(samples: Int16Array | Float32Array): Int16Array {
  return samples instanceof Int16Array ? samples : toInt16Samples(samples);
}

function isSamples(speech: object): speech is Samples {
  const { samples, sampleRateHz } = speech as Partial<Samples>;
  return (samples instanceof Int16Array || samples instanceof Float32Array) && typeof sampleRateHz === "number";
}

function isAudioBuffer(speech: object): speech is AudioBufferLike {
  return "getChannelData" in speech;
}

function isStream(speech: object): speech is SpeechStream {
  return Symbol.asyncIterator in speech || "getReader" in speech;
}

function isTrack(speech: object): speech is MediaStreamTrack {
  return "kind" in speech && "readyState" in speech;
}
