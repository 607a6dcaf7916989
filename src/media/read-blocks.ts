// Cuts a byte stream into blocks of one size.

export interface ReadBlocksOptions {
  /** Yield a last block that is shorter; default: it is ignored. */
  keepLast?: boolean;
}

/** Blocks of `blockBytes` from a stream of chunks of any size, each in memory of its own. */
export async function* readBlocks(
  chunks: AsyncIterable<Uint8Array>,
  blockBytes: number,
  options: ReadBlocksOptions = {},
): AsyncGenerator<Buffer> {
  let block = Buffer.alloc(blockBytes);
  let filled = 0;
  for await (const chunk of chunks) {
    let offset = 0;
    while (offset < chunk.length) {
      const count = Math.min(blockBytes - filled, chunk.length - offset);
      block.set(chunk.subarray(offset, offset + count), filled);
      filled += count;
      offset += count;
      if (filled === blockBytes) {
        yield block;
        block = Buffer.alloc(blockBytes);
        filled = 0;
      }
    }
  }
  if (options.keepLast && filled > 0) yield block.subarray(0, filled);
}
