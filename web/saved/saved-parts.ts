// What a saved HTML file carries: elements with base64 text, and one with JSON. The page that saves fills them in, the
// file reads them.
import { fromBase64 } from "../../shared/from-base64.ts";

/** Where they go in the template. */
export const PARTS_PLACEHOLDER = "<!--saved-face-->";

/** The JSON part. */
export interface SavedFace {
  name: string;
  /** What the recording is called; absent if there is none. */
  recording?: string;
}

export type SavedBytes = "bundle" | "weights" | "recording";

/** The elements as HTML. Names and bytes cannot end an element: JSON is written without "<", base64 has none. */
export function writeParts(face: SavedFace, bytes: Readonly<Partial<Record<SavedBytes, Uint8Array>>>): string {
  const json = JSON.stringify(face).replaceAll("<", "\\u003c");
  return [
    `<script type="application/json" id="saved-face">${json}</script>`,
    ...Object.entries(bytes).map(
      ([name, part]) => `<script type="application/octet-stream" id="saved-${name}">${toBase64(part)}</script>`,
    ),
  ].join("\n");
}

/** The JSON part of the document. Throws Error if the file has none. */
export function readSavedFace(): SavedFace {
  return JSON.parse(textOf("face") ?? "null") ?? missing("face");
}

/** A part of the document; undefined if the file has none of this name. */
export function readSavedBytes(name: SavedBytes): Uint8Array<ArrayBuffer> | undefined {
  const text = textOf(name);
  return text === undefined ? undefined : fromBase64(text);
}

/** The same. Throws Error if it is missing. */
export function needSavedBytes(name: SavedBytes): Uint8Array<ArrayBuffer> {
  return readSavedBytes(name) ?? missing(name);
}

function textOf(name: SavedBytes | "face"): string | undefined {
  return document.getElementById(`saved-${name}`)?.textContent ?? undefined;
}

function missing(name: string): never {
  throw new Error(`this file lacks its ${name}; save it again`);
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  // In pieces, because a call takes a limited number of arguments; of a multiple of three bytes, so that they join.
  for (let at = 0; at < bytes.length; at += 3072) text += btoa(String.fromCharCode(...bytes.subarray(at, at + 3072)));
  return text;
}
