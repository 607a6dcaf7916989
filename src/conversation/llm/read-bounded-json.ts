// Reads what an unknown program answers: bounded, without redirects, and never for longer than its signal allows.

export interface ReadJsonOptions {
  /** Sent as Bearer. */
  apiKey?: string;
  signal: AbortSignal;
  maxBytes: number;
}

/** The JSON of an answer with status 200; undefined for any other. Throws if nothing answers, if the answer is too
 *  long, or if it is no JSON. */
export async function readBoundedJson(url: string, { apiKey, signal, maxBytes }: ReadJsonOptions): Promise<unknown> {
  const headers = apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(url, { headers, signal, redirect: "error" });
  if (answer.status === 200 && answer.body) return JSON.parse(await readText(answer.body, maxBytes));
  await answer.body?.cancel();
  return undefined;
}

async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) throw new RangeError("The answer is too long.");
    text += decoder.decode(part, { stream: true });
  }
  return text;
}
