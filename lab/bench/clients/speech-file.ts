// Test speech in a file, which several processes read.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SENT_SAMPLE_RATE_HZ, speakFor } from "../speech.ts";

export interface SpeechFile {
  /** Mono int16 at 16 kHz. */
  file: string;
  samples: Int16Array;
  /** First seconds of its sentences. */
  sentencesFromS: number[];
  /** Folder of the file; other files may be put into it. */
  folder: string;
  /** Removes the folder. */
  close(): Promise<void>;
}

/** Speaks for `leastS` seconds or a sentence more. */
export async function makeSpeechFile(leastS: number): Promise<SpeechFile> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-bench-"));
  const file = join(folder, "speech.raw");
  const sentences = await speakFor(leastS);
  const samples = new Int16Array(sentences.reduce((sum, { length }) => sum + length, 0));
  const sentencesFromS: number[] = [];
  let at = 0;
  for (const sentence of sentences) {
    sentencesFromS.push(at / SENT_SAMPLE_RATE_HZ);
    samples.set(sentence, at);
    at += sentence.length;
  }
  await writeFile(file, samples);
  return { file, samples, sentencesFromS, folder, close: () => rm(folder, { recursive: true, force: true }) };
}
