// The built pages on disk, as `web/build.ts` wrote them to `web/dist`.
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServiceError } from "../../shared/errors.ts";

const DIST_FOLDER = fileURLToPath(new URL("../../web/dist/", import.meta.url));
/** One path segment, no dot at the front. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".onnx": "application/octet-stream",
};

export interface PageFile {
  bytes: Uint8Array;
  contentType: string;
}

/** Reads a page's `index.html`. Throws ServiceError SERVICE_UNAVAILABLE if the pages were not built. */
export async function readPage(name: string): Promise<PageFile> {
  try {
    return { bytes: await readFile(join(DIST_FOLDER, name, "index.html")), contentType: CONTENT_TYPES[".html"] };
  } catch (cause) {
    throw new ServiceError("SERVICE_UNAVAILABLE", "The pages are not built. Run npm start, which builds them.", {
      cause,
    });
  }
}

/** Reads an asset of a page. Throws NOT_FOUND if there is no such file. */
export async function readAsset(page: string, fileName: string): Promise<PageFile> {
  const contentType = CONTENT_TYPES[extname(fileName)];
  if (!contentType || !FILE_NAME.test(fileName)) throw new ServiceError("NOT_FOUND", "File not found");
  try {
    return { bytes: await readFile(join(DIST_FOLDER, page, "assets", fileName)), contentType };
  } catch (cause) {
    throw new ServiceError("NOT_FOUND", "File not found", { cause });
  }
}
