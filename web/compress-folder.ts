// Compresses built files once, so that the service sends them without any work. They are kept in this form alone.
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip, constants as zlib } from "node:zlib";

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

/** Formats that are not compressed by themselves. HTML is left out: it changes with the address (`withPageRoot`). */
const COMPRESSIBLE = /\.(js|css|svg|json|wasm|onnx|bin)$/;
/** From this size on the best quality takes seconds and gains a twelfth. */
const LARGE_BYTES = 1_000_000;
const QUALITY = { small: 11, large: 9 } as const;
/** 16 MiB, the largest window that all browsers take. */
const WINDOW_BITS = 24;

/** Replaces each compressible file under `folder` by `<file>.br` and `<file>.gz`. Takes those of `earlier`, a former
 *  build if given, where a file has the same name: names contain a hash of the content. */
export async function compressFolder(folder: string, earlier?: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  await Promise.all(
    files.map(async (file) => {
      await compressFile(join(folder, file), earlier && join(earlier, file));
      await rm(join(folder, file));
    }),
  );
}

async function compressFile(file: string, earlier: string | undefined): Promise<void> {
  if (earlier) {
    const kept = [".br", ".gz"].map((end) => copyFile(earlier + end, file + end));
    if ((await Promise.allSettled(kept)).every(({ status }) => status === "fulfilled")) return;
  }
  const bytes = await readFile(file);
  const quality = bytes.length < LARGE_BYTES ? QUALITY.small : QUALITY.large;
  const params = {
    [zlib.BROTLI_PARAM_QUALITY]: quality,
    [zlib.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
    [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await Promise.all([
    brotliAsync(bytes, { params }).then((packed) => writeFile(`${file}.br`, packed)),
    gzipAsync(bytes, { level: 9 }).then((packed) => writeFile(`${file}.gz`, packed)),
  ]);
}
