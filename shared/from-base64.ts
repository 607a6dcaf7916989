// Bytes that were written into text: parts of pages that load nothing.

/** The bytes of base64. Throws DOMException for other text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < bytes.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/** The bytes of a `data:` address that ends in base64: a file that was built into a page. */
export function fromDataUrl({ href }: URL): Uint8Array<ArrayBuffer> {
  return fromBase64(href.slice(href.indexOf(",") + 1));
}
