// `avatar voices say`.
import { writeFile } from "node:fs/promises";
import { secondsOf } from "../../../src/face/film/film-speech.ts";
import { writeWav } from "../../../src/signal/audio/wav.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { assertWritable } from "../output-file.ts";
import { speakText } from "./speak-text.ts";

export interface SayRequest {
  output?: string;
  speed?: string;
  language?: string;
  json?: boolean;
}

/** Speaks a text into a file. Throws CliError `usage` for a text without words or a file that cannot be written; the
 *  error of the voice. */
export async function sayWithVoice(
  environment: Environment,
  voiceId: string,
  text: string,
  { output, speed, language, json }: SayRequest,
): Promise<void> {
  const file = output ?? `${voiceId.replaceAll(":", "-")}.wav`;
  await assertWritable(file);
  const options = { voiceId, language, speed: speed === undefined ? undefined : Number(speed) };
  const { audio } = await speakText(environment, text, options);
  if (audio.samples.length === 0) throw new CliError("usage", "The text has no words.");
  await writeFile(file, writeWav(audio));
  const { sampleRateHz } = audio;
  const seconds = Math.round(secondsOf(audio) * 100) / 100;
  if (json) writeJson({ file, voice: voiceId, seconds, sample_rate_hz: sampleRateHz });
  else process.stdout.write(`${file}: ${seconds} s at ${sampleRateHz} Hz\n`);
}
