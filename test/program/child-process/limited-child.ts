// A process with limits, for the tests: it hangs, after it has done what makes it exceed one.
import { writeFileSync } from "node:fs";
import { limitProcess, type ProcessLimits } from "../../../program/child-process/limit-process.ts";

const limits: ProcessLimits = JSON.parse(process.argv[2]);
limitProcess(limits);
if (limits.file) writeFileSync(limits.file.path, Buffer.alloc(limits.file.maxBytes + 1));
if (process.argv[3]) writeFileSync(process.argv[3], "has its limits");
const hoard: Uint8Array[] = [];
for (;;) if (limits.maxMemoryBytes) hoard.push(new Uint8Array(1_000_000).fill(1));
