// An SDP offer as the relay takes it: without the caller's addresses. The relay answers checks that come from the
// caller, and sends none to addresses that someone else chose.
import { ServiceError } from "../../shared/errors.ts";

/** An offer of a browser with all its codecs has 5 KB. */
export const MAX_OFFER_BYTES = 65_536;
const MOST_SECTIONS = 4;

/** Throws ServiceError VALIDATION_ERROR for a text that is no offer with audio and a data channel at most. */
export function cleanOffer(text: string): string {
  const lines = text.split(/\r\n|\n/);
  if (lines[0] !== "v=0") throw refusal("the body is not an SDP offer");
  const sections = lines.filter((line) => line.startsWith("m="));
  const kinds = sections.map((line) => line.slice(2).split(" ")[0]);
  if (!kinds.includes("audio")) throw refusal("the offer has no audio");
  if (sections.length > MOST_SECTIONS || kinds.filter((kind) => kind === "audio").length > 1) {
    throw refusal("the offer may have one audio section and one data channel");
  }
  if (!lines.some((line) => line.startsWith("a=ice-ufrag:"))) throw refusal("the offer has no ICE credentials");
  if (!lines.some((line) => line.startsWith("a=fingerprint:"))) throw refusal("the offer has no DTLS fingerprint");
  const kept = lines.filter((line) => !/^a=(?:candidate|end-of-candidates|remote-candidates)\b/.test(line));
  return kept.join("\r\n");
}

function refusal(why: string): ServiceError {
  return new ServiceError("VALIDATION_ERROR", `Not a usable offer: ${why}.`);
}
