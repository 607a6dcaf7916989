// What an avatar can be given to say.

/** Mono audio. Int16, or float from −1 to 1. */
export interface Samples {
  samples: Int16Array | Float32Array;
  sampleRateHz: number;
}

/** The part of an AudioBuffer that is read. */
export interface AudioBufferLike {
  readonly sampleRate: number;
  readonly numberOfChannels: number;
  readonly length: number;
  getChannelData(channel: number): Float32Array;
}

/** Audio that arrives in pieces, all at one rate, or a WAV file that arrives in chunks of bytes. */
export type SpeechStream =
  | AsyncIterable<Samples>
  | AsyncIterable<Uint8Array>
  | ReadableStream<Samples>
  | ReadableStream<Uint8Array>;

/** Audio to be spoken: the path of a file (Node) or its address, its bytes, samples, a stream, decoded audio, or (in a
 *  tab) a track that is heard now. WAV is read everywhere, and as it arrives; other formats need a decoder, which every
 *  browser has, and Node with FFmpeg or the package node-av. */
export type Speech =
  | string
  | URL
  | Uint8Array
  | ArrayBuffer
  | Blob
  | Samples
  | AudioBufferLike
  | SpeechStream
  | MediaStreamTrack;
