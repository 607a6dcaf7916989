// Closes a file that is read or written as a stream.
import type { ReadStream, WriteStream } from "node:fs";
import type { Stream } from "node:stream";

/** Closes a file, whether its stream has reached its end or not. Resolves once it is closed. Never throws. */
export async function closeFile(file: ReadStream | WriteStream): Promise<void> {
  if (file.closed) return;
  const stream: Stream = file;
  const closed = new Promise((resolve) => stream.once("close", resolve));
  file.destroy();
  await closed;
}
