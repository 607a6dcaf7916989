// Headers of answers with stored files. They prevent content of callers from running in our origin.
import { FILE_KINDS } from "./file-kind.ts";

/** Types that a browser may display; all others are downloads. */
const SHOWN_TYPES: readonly string[] = ["image/jpeg", "image/png"];
/** Types of files that only the service makes, by extension. */
const OWN_TYPES: Readonly<Record<string, string>> = { vtt: "text/vtt; charset=utf-8" };
const UNKNOWN_TYPE = "application/octet-stream";
const CACHED_SECONDS = 3600;

/** How a client should interpret an object's bytes. */
export interface FilePresentation {
  contentType: string;
  contentDisposition: string;
}

/** Type and disposition of an object, by its key's extension. Browsers save it as `filename`. */
export function presentFile(key: string, filename: string | undefined): FilePresentation {
  const extension = key.slice(key.lastIndexOf(".") + 1);
  const contentType =
    extension in FILE_KINDS
      ? FILE_KINDS[extension as keyof typeof FILE_KINDS].mimeType
      : (OWN_TYPES[extension] ?? UNKNOWN_TYPE);
  const name = (filename ?? key.slice(key.indexOf("/") + 1)).replace(/[^A-Za-z0-9._-]/g, "_");
  const isShown = SHOWN_TYPES.includes(contentType);
  return { contentType, contentDisposition: isShown ? "inline" : `attachment; filename="${name}"` };
}

/** All headers of an answer with an object's bytes, except those about its length. */
export function fileHeaders(key: string, filename: string | undefined): Record<string, string> {
  const { contentType, contentDisposition } = presentFile(key, filename);
  return {
    "Content-Type": contentType,
    "Content-Disposition": contentDisposition,
    "Content-Security-Policy": "default-src 'none'; sandbox",
    // Pages of other origins show these images; their links exist for that.
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Accept-Ranges": "bytes",
    "Cache-Control": `private, max-age=${CACHED_SECONDS}`,
  };
}
