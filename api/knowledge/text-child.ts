// The text process: splits one document at a time into passages, until its parent disconnects. A thread watches its
// memory, because a document that unpacks without end would exhaust the machine outside the limits of the heap.
import { Worker } from "node:worker_threads";
import { isServiceError } from "../../shared/errors.ts";
import { extractText } from "./extract-text.ts";
import { splitText } from "./split-text.ts";
import { textLanguage } from "./text-language.ts";
import type { TextReply, TextRequest } from "./text-messages.ts";

const MAX_MEMORY_BYTES = 1_200_000_000;
const WATCH_EVERY_MS = 50;
const WATCHER = `setInterval(() => {
  if (process.memoryUsage.rss() > ${MAX_MEMORY_BYTES}) process.kill(process.pid, "SIGKILL");
}, ${WATCH_EVERY_MS})`;

new Worker(WATCHER, { eval: true, execArgv: [] }).unref();

function reply(message: TextReply): void {
  process.send?.(message);
}

process.on("message", async ({ path, extension }: TextRequest) => {
  try {
    const text = await extractText(path, extension);
    reply({ type: "done", document: { passages: splitText(text), language: textLanguage(text) } });
  } catch (error) {
    if (isServiceError(error)) reply({ type: "refused", code: error.code, message: error.message });
    else reply({ type: "failed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on("disconnect", () => process.exit());
