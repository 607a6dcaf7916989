// Signed links to stored objects: a holder may read that object until the link expires.
import { createLinkSigner } from "../tokens/link-signer.ts";
import { isObjectKey } from "./object-storage.ts";

/** Life of a link to a model file. Source: the contract. */
export const MODEL_LINK_SECONDS = 3600;

export interface FileLinkOptions {
  /** Base of the links, without a trailing slash. */
  publicUrl: string;
  /** The signing key of the installation; links signed with another key are refused. */
  signingKey: Uint8Array;
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface LinkOptions {
  /** Life of the link in seconds; null for a link that does not expire (images on public pages). */
  expiresInSeconds: number | null;
  /** File name under which a browser saves the file. */
  filename?: string;
}

export interface FileLinks {
  /** An absolute link to an object. */
  linkTo(key: string, options: LinkOptions): string;
  /** True if these query values were signed by `linkTo` for this key and have not expired. */
  verify(key: string, query: { expires?: string; name?: string; signature?: string }): boolean;
  /** The object of a valid link of this installation; null for any other text. */
  keyOf(url: string): string | null;
}

const PATH = "/files/";

/** Links of the form `/files/<key>?expires=…&name=…&signature=…`. */
export function createFileLinks(options: FileLinkOptions): FileLinks {
  const signer = createLinkSigner(options.signingKey, "file-links");

  function verify(key: string, query: { expires?: string; name?: string; signature?: string }): boolean {
    const { expires = "", name = "", signature = "" } = query;
    if (!isObjectKey(key) || /\n/.test(name)) return false;
    if (!signer.isSigned(signature, "file", key, expires, name)) return false;
    return expires === "never" || Number(expires) * 1000 > options.now();
  }

  return {
    verify,

    linkTo(key, { expiresInSeconds, filename }) {
      const expires = expiresInSeconds === null ? "never" : String(Math.floor(options.now() / 1000) + expiresInSeconds);
      const query = new URLSearchParams({ expires });
      if (filename) query.set("name", filename);
      query.set("signature", signer.sign("file", key, expires, filename ?? ""));
      return `${options.publicUrl}${PATH}${key}?${query}`;
    },

    keyOf(url) {
      const base = options.publicUrl + PATH;
      if (!url.startsWith(base) || !URL.canParse(url)) return null;
      const { pathname, searchParams } = new URL(url);
      const key = pathname.slice(new URL(base).pathname.length);
      return verify(key, Object.fromEntries(searchParams)) ? key : null;
    },
  };
}
