// A tiny network with the signature of a Piper voice: every token lasts four frames, a letter is a tone, a blank is
// silent. Each of two speakers has a tone of its own.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GraphBuilder } from "../../../src/signal/onnx/graph-builder.ts";

export const SMALL_VOICE_RATE_HZ = 16_000;
/** Length of a token. */
export const TOKEN_MS = (4 * 256 * 1000) / SMALL_VOICE_RATE_HZ;
const TOKEN_SAMPLES = 4 * 256;
const LETTERS = " !',-.:;?abdefhiklmnopstuvwxyzðɐɑɔəɛɡɪŋɹʃʊʌʒˈˌː";
/** Periods of a tone in a token. */
const TONES = [8, 32];

/** Writes `model.onnx` and `config.json`. `language`: eSpeak NG's name of it. */
export async function writeSmallVoice(folder: string, language: string, speakers: 1 | 2 = 1): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "model.onnx"), smallPiperNetwork(speakers));
  await writeFile(join(folder, "config.json"), JSON.stringify(configOf(language, speakers)));
}

function configOf(language: string, speakers: number) {
  const letters = [...LETTERS].map((letter, index) => [letter, [index + 3]] as const);
  return {
    audio: { sample_rate: SMALL_VOICE_RATE_HZ, quality: "x_low" },
    espeak: { voice: language },
    inference: { noise_scale: 0.667, length_scale: 1, noise_w: 0.8 },
    num_speakers: speakers,
    phoneme_id_map: { _: [0], "^": [1], $: [2], ...Object.fromEntries(letters) },
  };
}

function smallPiperNetwork(speakers: number): Uint8Array {
  const builder = new GraphBuilder("voice");
  builder.input("input", "int64", [1, "letters"]);
  builder.input("input_lengths", "int64", [1]);
  builder.input("scales", "float32", [3]);
  builder.output("output", "float32", [1, 1, 1, "samples"]);
  const lengthScale = builder.node("Gather", ["scales", builder.ints(1)]);
  const ids = builder.node("Cast", ["input"], { to: 1 });
  const nothing = builder.node("Mul", [ids, builder.scalar(0)]);
  const frames = builder.node("Mul", [builder.scalar(4), lengthScale]);
  const durations = builder.node("Ceil", [builder.node("Add", [nothing, frames])]);
  // Loud for a letter: blank, begin and end are 0, 1 and 2.
  const loudness = builder.node("Clip", [
    builder.node("Sub", [ids, builder.scalar(2)]),
    builder.scalar(0),
    builder.scalar(1),
  ]);
  const half = builder.node("Mul", [loudness, builder.node("Div", [durations, builder.scalar(8)])]);
  const tones = Float32Array.from({ length: speakers * TOKEN_SAMPLES }, (_, index) =>
    Math.sin((2 * Math.PI * TONES[Math.floor(index / TOKEN_SAMPLES)] * index) / TOKEN_SAMPLES),
  );
  const table = builder.constant(tones, [speakers, TOKEN_SAMPLES]);
  if (speakers > 1) builder.input("sid", "int64", [1]);
  const tone = speakers > 1 ? builder.node("Gather", [table, "sid"]) : table;
  const column = builder.node("Reshape", [half, builder.ints(-1, 1)]);
  builder.node("Reshape", [builder.node("Mul", [column, tone]), builder.ints(1, 1, 1, -1)], {}, "output");
  return builder.toModel();
}
