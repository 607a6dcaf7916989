// How much structure a JSON text has, without parsing it. A parser's time goes with the values, not with the length of
// strings: 4 MiB of nested lists take JSON.parse two seconds, 4 MiB of one string take it four milliseconds.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes of a JSON text (UTF-8) that are in no string: brackets, commas, numbers, whitespace, and the quotes that begin
 *  strings. Stops counting above `most`. Takes 1 ns a byte. What is no JSON is counted too. Never throws. */
export function bytesOutsideStrings(json: Uint8Array, most: number): number {
  let outside = 0;
  let isInString = false;
  for (let index = 0; index < json.length && outside <= most; index++) {
    const byte = json[index];
    if (!isInString) {
      outside += 1;
      isInString = byte === QUOTE;
    } else if (byte === QUOTE) isInString = false;
    else if (byte === BACKSLASH) index += 1;
  }
  return outside;
}
