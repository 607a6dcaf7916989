// Signed links to stored objects: whoever holds one may read that object, until it expires.
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { isObjectKey } from "./object-storage.ts";

/** Life of a link to a model file. Source: the contract. */
export const MODEL_LINK_SECONDS = 3600;

export interface FileLinkOptions {
  /** Base of the links, without a trailing slash. */
  publicUrl: string;
  /** At least 32 bytes; links signed with another key are refused. */
  signingKey: Uint8Array;
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface LinkOptions {
  /** Life of the link in seconds; null for one that does not expire (pictures that pages keep showing). */
  expiresInSeconds: number | null;
  /** Name that a browser saves the file under. */
  filename?: string;
}

export interface FileLinks {
  /** An absolute link to an object. */
  linkTo(key: string, options: LinkOptions): string;
  /** True if these query values were signed by `linkTo` for this key and have not expired. */
  verify(key: string, query: { expires?: string; name?: string; signature?: string }): boolean;
  /** The object that one of our own valid links leads to; null for any other text. */
  keyOf(url: string): string | null;
}

const PATH = "/files/";
const KEY_BYTES = 32;

/** The links of this installation, signed with a key of their own that is made from its key. */
export function createOwnFileLinks(options: FileLinkOptions): FileLinks {
  const signingKey = new Uint8Array(hkdfSync("sha256", options.signingKey, "", "file-links", KEY_BYTES));
  return createFileLinks({ ...options, signingKey });
}

/** Links of the form `/files/<key>?expires=…&name=…&signature=…`. */
export function createFileLinks(options: FileLinkOptions): FileLinks {
  function sign(key: string, expires: string, name: string): string {
    // Line breaks cannot occur in any part, so two different triples never sign alike.
    return createHmac("sha256", options.signingKey).update(`file\n${key}\n${expires}\n${name}`).digest("base64url");
  }

  function verify(key: string, query: { expires?: string; name?: string; signature?: string }): boolean {
    const { expires = "", name = "", signature = "" } = query;
    if (!isObjectKey(key) || /\n/.test(name)) return false;
    const expected = Buffer.from(sign(key, expires, name));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
    return expires === "never" || Number(expires) * 1000 > options.now();
  }

  return {
    verify,

    linkTo(key, { expiresInSeconds, filename }) {
      const expires = expiresInSeconds === null ? "never" : String(Math.floor(options.now() / 1000) + expiresInSeconds);
      const query = new URLSearchParams({ expires });
      if (filename) query.set("name", filename);
      query.set("signature", sign(key, expires, filename ?? ""));
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
