// Measures a provider in a process of its own, which a native library that does not fit may end. Its arguments are the
// provider and the frames per call; it prints one line of JSON.
import { measureBatch } from "./measure-batch.ts";

const [provider, batch] = process.argv.slice(2);
if (provider !== "cpu" && provider !== "cuda") throw new Error("name a provider: cpu or cuda");
process.stdout.write(`${JSON.stringify(await measureBatch(provider, Number(batch)))}\n`);
