// Writes the files of the recogniser; build.sh fetches what it reads.
//
//   npx tsx lab/training/recognition/build.ts SOURCES OUT
//
// SOURCES: folder with model.bin, vocabulary.json and config.json.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { decoderGraph } from "./decoder-graph.ts";
import { encoderGraph } from "./encoder-graph.ts";
import { readWeights } from "./read-weights.ts";
import { vocabularyFile } from "./vocabulary-file.ts";

const [sources, out] = process.argv.slice(2);
if (!sources || !out) throw new Error("usage: build.ts SOURCES OUT");
const weights = readWeights(join(sources, "model.bin"));
const files = {
  "encoder.onnx": encoderGraph(weights),
  "decoder.onnx": decoderGraph(weights),
  "vocabulary.json.br": vocabularyFile(sources),
};
for (const [name, bytes] of Object.entries(files)) {
  writeFileSync(join(out, name), bytes);
  console.log(createHash("sha256").update(bytes).digest("hex"), bytes.length, name);
}
