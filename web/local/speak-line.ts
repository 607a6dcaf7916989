// A line as the service's voice speaks it.
import type { Access } from "../shared/access.ts";
import { RequestError } from "../shared/request-error.ts";

const TIMEOUT_MS = 30_000;
/** For faces that have no voice of their own. */
const DEFAULT_VOICE = "F1";

/** The line as a WAV file. Throws RequestError. `base`: the address of the start page. */
export async function speakLine(
  text: string,
  { base, access, voice = DEFAULT_VOICE }: { base: URL; access: Access; voice?: string },
): Promise<ArrayBuffer> {
  if (access.kind === "none" && !(await access.open())) {
    throw new RequestError(
      "MISSING_AUTH",
      "The service speaks a line only for those who may use it. Open the start page and give your API secret there, or play an audio file.",
    );
  }
  const response = await fetch(new URL("v1/tts", base), {
    method: "POST",
    headers: { ...(await access.headers()), "content-type": "application/json" },
    body: JSON.stringify({ text, voice }),
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new RequestError("NETWORK", "The service cannot be reached, so it cannot speak the line. Try again.");
  });
  if (response.ok) return response.arrayBuffer();
  const answer = await response.json().catch(() => undefined);
  throw new RequestError("BAD_ANSWER", answer?.error?.message ?? `The service answered ${response.status}. Try again.`);
}
