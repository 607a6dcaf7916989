// Writes the weights of the lip-sync network in 8 bits, for browsers.
//
//   npx tsx lab/training/lip-sync/write-eight-bit.ts lip-sync.onnx lip-sync.8bit.bin
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { constants, deflateRawSync } from "node:zlib";
import { writeEightBitWeights } from "../../../src/face/lip-sync/executor/eight-bit-weights.ts";
import { readLipSyncGraph } from "../../../src/face/lip-sync/executor/lip-sync-graph.ts";

const [model, out] = process.argv.slice(2);
if (!model || !out) throw new Error("usage: write-eight-bit.ts MODEL OUT");
const weights = await readLipSyncGraph(readFileSync(model));
if (typeof weights === "string") throw new Error(`the executor does not compute this graph: ${weights}`);
const bytes = writeEightBitWeights(weights, (values) =>
  deflateRawSync(values, { level: 9, memLevel: 9, strategy: constants.Z_HUFFMAN_ONLY }),
);
writeFileSync(out, bytes);
console.log(createHash("sha256").update(bytes).digest("hex"), bytes.length, out);
