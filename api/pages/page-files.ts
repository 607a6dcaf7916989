// The built pages on disk, as `web/build.ts` wrote them to `web/dist`.
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { partFolder } from "../../program/parts/find-part.ts";
import { ServiceError } from "../../shared/errors.ts";
import { withPageRoot } from "../../shared/page-root.ts";
import { type Encoding, encodingsOf } from "../kernel/http/accepted-encodings.ts";

/** One path segment, no dot at the front. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".onnx": "application/octet-stream",
  ".bin": "application/octet-stream",
};
const gunzipAsync = promisify(gunzip);
const FILE_ENDS: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz" };

export interface PageFile {
  bytes: Uint8Array;
  contentType: string;
  /** How `bytes` are compressed. */
  encoding?: Encoding;
}

/** The HTML of a page for an address. Throws ServiceError SERVICE_UNAVAILABLE if the pages were not built. */
export async function readPage(name: string, path: string): Promise<string> {
  try {
    return withPageRoot(await readFile(join(distFolder(), name, "index.html"), "utf8"), path);
  } catch (cause) {
    throw new ServiceError("SERVICE_UNAVAILABLE", "The pages are not built. Run npm start, which builds them.", {
      cause,
    });
  }
}

/** Reads an asset of the pages, compressed as the caller accepts it. Throws NOT_FOUND if there is no such file. */
export async function readAsset(fileName: string, acceptEncoding: string): Promise<PageFile> {
  const contentType = CONTENT_TYPES[extname(fileName)];
  if (!contentType || !FILE_NAME.test(fileName)) throw new ServiceError("NOT_FOUND", "File not found");
  return readFileAt(join(distFolder(), "assets", fileName), contentType, acceptEncoding);
}

/** Reads the script of the widgets, in the same way. */
export async function readWidget(acceptEncoding: string): Promise<PageFile> {
  return readFileAt(join(distFolder(), "widget.js"), CONTENT_TYPES[".js"], acceptEncoding);
}

function distFolder(): string {
  return fileURLToPath(partFolder("pages"));
}

async function readFileAt(file: string, contentType: string, acceptEncoding: string): Promise<PageFile> {
  for (const encoding of encodingsOf(acceptEncoding)) {
    const bytes = await readFile(file + FILE_ENDS[encoding]).catch(() => undefined);
    if (bytes) return { bytes, contentType, encoding };
  }
  try {
    const packed = await readFile(file + FILE_ENDS.gzip).catch(() => undefined);
    return { bytes: packed ? await gunzipAsync(packed) : await readFile(file), contentType };
  } catch (cause) {
    throw new ServiceError("NOT_FOUND", "File not found", { cause });
  }
}
