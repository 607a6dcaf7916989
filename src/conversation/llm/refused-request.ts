// A request that the server did not answer with a model's words.
import { EngineError } from "../../../shared/engine-error.ts";
import type { ChatAnswer } from "./request-chat.ts";

/** Enough for a reason. */
const MAX_REASON_BYTES = 16_384;

/** Its reason may quote the conversation: it is read here, and never logged or passed on. */
export class RefusedRequest extends Error {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super(`refused with status ${status}`);
    this.name = "RefusedRequest";
    this.status = status;
    this.text = text;
  }

  /** Without the reason. `upstream-unavailable`: it may work later. */
  toEngineError(): EngineError {
    const { status } = this;
    if (status === 408 || status === 429 || status >= 500) {
      return new EngineError("upstream-unavailable", `The model server answered with status ${status}.`);
    }
    const what = status === 401 || status === 403 ? "refused the key" : "refused the request";
    return new EngineError("program-failed", `The model server ${what} with status ${status}.`);
  }
}

/** Reads why a server refused. Never rejects: a reason that breaks off is read as far as it came. */
export async function refusalOf({ status, body }: ChatAnswer): Promise<RefusedRequest> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const part of body) {
      text += decoder.decode(part, { stream: true });
      bytes += part.length;
      if (bytes > MAX_REASON_BYTES) break;
    }
  } catch {
    // The status says enough.
  }
  return new RefusedRequest(status, text);
}
