// What Node can read aloud: WAV by ourselves, everything else by FFmpeg.
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineError } from "../../../shared/engine-error.ts";
import { isWav, type PcmAudio } from "../../../src/signal/audio/wav.ts";
import { wavPieces } from "../../../src/signal/audio/wav-pieces.ts";
import { decodePieces } from "../../../src/signal/media/decode-audio.ts";
import { bytePieces, type SpeechReader, withFirst } from "../core/speech-pieces.ts";
import { findMediaProgram } from "./find-media-program.ts";
import { joined, placeOf, readAddress, readPath } from "./read-place.ts";

const NEEDS_PROGRAM = "Audio in another format than WAV";

export const NODE_SPEECH: SpeechReader = {
  async *file(place, signal) {
    const found = placeOf(place);
    const chunks = "path" in found ? readPath(found.path) : readAddress(found.address, signal);
    const first = await chunks.next();
    if (first.done) throw new EngineError("invalid-input", `The recording is empty: ${String(place)} has no bytes.`);
    if (isWav(first.value)) {
      yield* wavPieces(withFirst(first.value, chunks));
    } else if ("path" in found) {
      await chunks.return(undefined);
      yield* decodePieces(found.path, findMediaProgram(NEEDS_PROGRAM));
    } else {
      yield* bytePieces(await joined(withFirst(first.value, chunks)), NODE_SPEECH, signal);
    }
  },

  async *decode(bytes) {
    const program = findMediaProgram(NEEDS_PROGRAM);
    const path = join(tmpdir(), `open-avatar-${randomUUID()}`);
    try {
      await writeFile(path, bytes, { mode: 0o600 });
      yield* decodePieces(path, program);
    } finally {
      await rm(path, { force: true });
    }
  },

  // biome-ignore lint/correctness/useYield: it has nothing to give.
  async *track(): AsyncGenerator<PcmAudio> {
    throw new EngineError(
      "invalid-input",
      "A MediaStreamTrack is in a browser. Give a stream of { samples, sampleRateHz }.",
    );
  },
};
