import { ToolError } from "../tool-error.ts";

/** The body of an answer, of at most `limitBytes`. Throws ToolError for a longer one, without reading the rest. `what`:
 *  for the message, as "The picture". */
export async function readBounded(answer: Response, limitBytes: number, what: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of answer.body ?? []) {
    sizeBytes += part.byteLength;
    if (sizeBytes > limitBytes) throw new ToolError("RESULT_TOO_LARGE", `${what} is too large to be shown.`);
    parts.push(part);
  }
  return Buffer.concat(parts, sizeBytes);
}
