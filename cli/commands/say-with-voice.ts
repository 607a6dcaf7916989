// `avatar voices say`.
import { writeFile } from "node:fs/promises";
import { parseConfig } from "../../shared/config.ts";
import { writeWav } from "../../src/audio/wav.ts";
import { DefaultVoice } from "../../src/voice/default-voice.ts";
import { FetchedVoice } from "../../src/voice/fetched/fetched-voice.ts";
import { joinSamples } from "../../src/voice/join-pieces.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { Environment } from "../terminal/environment.ts";
import { writeJson } from "../terminal/write-json.ts";
import { assertWritable } from "./output-file.ts";
import type { SayRequest } from "./voices.ts";
import { voicesFolderOf } from "./voices-folder.ts";

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
  const engine = parseConfig(environment).AVATAR_VOICE;
  const fetched = new FetchedVoice({ folder: voicesFolderOf(environment) });
  const voice = new DefaultVoice({ engine, fetched });
  const pieces: Int16Array[] = [];
  let sampleRateHz = 0;
  try {
    const options = { voiceId, language, speed: speed === undefined ? undefined : Number(speed) };
    for await (const piece of voice.synthesize(text, options)) {
      pieces.push(piece.samples);
      sampleRateHz = piece.sampleRateHz;
    }
  } finally {
    await voice.close();
  }
  if (pieces.length === 0) throw new CliError("usage", "The text has no words.");
  const samples = joinSamples(pieces);
  await writeFile(file, writeWav({ samples, sampleRateHz }));
  const seconds = Math.round((samples.length / sampleRateHz) * 100) / 100;
  if (json) writeJson({ file, voice: voiceId, seconds, sample_rate_hz: sampleRateHz });
  else process.stdout.write(`${file}: ${seconds} s at ${sampleRateHz} Hz\n`);
}
