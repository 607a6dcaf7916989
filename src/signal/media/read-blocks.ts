// Reads an open descriptor in blocks of one size.
import { read } from "node:fs";
import { promisify } from "node:util";

export interface ReadBlocksOptions {
  /** Yield a last block that is shorter; default: it is ignored. */
  keepLast?: boolean;
}

const readInto = promisify(read);

/** Blocks of `blockBytes` from a pipe or file, all in the same memory: each is valid until the next one is requested.
 *  The descriptor stays open. */
export async function* readBlocks(
  descriptor: number,
  blockBytes: number,
  options: ReadBlocksOptions = {},
): AsyncGenerator<Buffer> {
  const block = Buffer.alloc(blockBytes);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await readInto(descriptor, block, filled, blockBytes - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
    if (filled < blockBytes) continue;
    yield block;
    filled = 0;
  }
  if (options.keepLast && filled > 0) yield block.subarray(0, filled);
}
