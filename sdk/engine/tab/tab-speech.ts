// What a tab can read aloud: WAV by ourselves, everything else by the browser.
import { EngineError } from "../../../shared/engine-error.ts";
import { PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { isWav, type PcmAudio } from "../../../src/signal/audio/wav.ts";
import { wavPieces } from "../../../src/signal/audio/wav-pieces.ts";
import { bytePieces, chunksOfStream, type SpeechReader, speechPieces, withFirst } from "../core/speech-pieces.ts";
import { tapAudio } from "./face/tap-audio.ts";

/** The browser decodes a whole file at once, into up to a hundred times its size. */
const MAX_DECODED_BYTES = 32_000_000;
/** Audio of a track that waits to be rendered; more is dropped. */
const MAX_WAITING_PIECES = 500;

/** `audioTap`: where the script that reads tracks is; see `audioTapUrl`. */
export function tabSpeech(audioTap: URL | undefined): SpeechReader {
  const reader: SpeechReader = {
    async *file(place, signal) {
      const chunks = fetchChunks(new URL(place, document.baseURI), signal);
      const first = await chunks.next();
      if (first.done) throw new EngineError("invalid-input", `The recording is empty: ${nameOf(place)} has no bytes.`);
      const all = withFirst(first.value, chunks);
      yield* isWav(first.value) ? wavPieces(all) : bytePieces(await joined(all), reader, signal);
    },

    async *decode(bytes) {
      if (bytes.length > MAX_DECODED_BYTES) throw tooLarge();
      const audio = new OfflineAudioContext(1, 1, PLAYOUT_SAMPLE_RATE_HZ);
      const decoded = await audio.decodeAudioData(bytes.slice().buffer).catch((cause: unknown) => {
        throw new EngineError("invalid-input", "The browser cannot read this audio. Give it as WAV, MP3 or AAC.", {
          cause,
        });
      });
      yield* speechPieces(decoded, reader, undefined);
    },

    track: (track, signal) => trackPieces(track, audioTap, signal),
  };
  return reader;
}

/** What is heard from now on until the track ends. */
async function* trackPieces(
  track: MediaStreamTrack,
  audioTap: URL | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<PcmAudio> {
  if (track.kind !== "audio") throw new EngineError("invalid-input", "This track is no audio.");
  const audio = new AudioContext({ sampleRate: PLAYOUT_SAMPLE_RATE_HZ });
  // Chromium passes the audio of a call on to Web Audio only while a media element plays it too.
  const element = new Audio();
  const stream = new MediaStream([track]);
  element.srcObject = stream;
  element.muted = true;
  const waiting: Int16Array[] = [];
  let wake = (): void => undefined;
  const onEnd = () => wake();
  track.addEventListener("ended", onEnd);
  signal?.addEventListener("abort", onEnd);
  let untap: (() => void) | undefined;
  try {
    void audio.resume();
    untap = await tapAudio(
      audio.createMediaStreamSource(stream),
      (samples) => {
        if (waiting.length < MAX_WAITING_PIECES) waiting.push(samples);
        wake();
      },
      audioTap,
    );
    for (;;) {
      signal?.throwIfAborted();
      const samples = waiting.shift();
      if (samples) {
        yield { samples, sampleRateHz: audio.sampleRate };
      } else if (track.readyState === "ended") {
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    track.removeEventListener("ended", onEnd);
    signal?.removeEventListener("abort", onEnd);
    untap?.();
    element.srcObject = null;
    await audio.close();
  }
}

async function* fetchChunks(url: URL, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new EngineError("upstream-unavailable", `${nameOf(url)} cannot be loaded.`, { cause });
  }
  if (!response.ok || !response.body) {
    throw new EngineError("upstream-unavailable", `${nameOf(url)} answered ${response.status}.`);
  }
  yield* chunksOfStream(response.body);
}

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk as Uint8Array<ArrayBuffer>);
    bytes += chunk.length;
    if (bytes > MAX_DECODED_BYTES) throw tooLarge();
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function tooLarge(): EngineError {
  return new EngineError(
    "too-large",
    `A browser decodes audio of up to ${MAX_DECODED_BYTES / 1e6} MB. Give longer audio as WAV, or as a stream of samples.`,
  );
}

/** Without what follows the path, which may be secret. */
function nameOf(place: string | URL): string {
  return String(place)
    .replace(/[?#].*$/s, "")
    .slice(0, 200);
}
