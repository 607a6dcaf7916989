// The text process: splits one document at a time into passages.
import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import { extractText } from "./extract-text.ts";
import { splitText } from "./split-text.ts";
import type { SplitDocument, TextTask } from "./text-messages.ts";
import { textSearchConfiguration } from "./text-search-configuration.ts";

/** Includes memory outside the heap, for example unpacked archives. */
const MAX_MEMORY_BYTES = 1_200_000_000;

limitMemory(MAX_MEMORY_BYTES);
serveTasks<TextTask, SplitDocument>(async ({ path, extension }) => {
  const text = await extractText(path, extension);
  return { passages: splitText(text), language: textSearchConfiguration(text) };
});
