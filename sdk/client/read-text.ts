/** Most of an answer that is kept in memory. */
const MAX_BYTES = 64e6;

/** The body as text. Throws RangeError if it has more than 64 MB. */
export async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  // Some platforms have no streams.
  if (!reader) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  for (let sizeBytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    sizeBytes += value.byteLength;
    if (sizeBytes > MAX_BYTES) {
      await reader.cancel();
      throw new RangeError(`The answer has more than ${MAX_BYTES / 1e6} MB`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
