// The worker's own look at a LiveKit URL before it is handed to native code; the api has checked the address behind it already.
import { ServiceError } from "../../shared/errors.ts";

const PROTOCOLS = ["ws:", "wss:", "http:", "https:"];

/** Throws ServiceError VALIDATION_ERROR unless the URL is a WebSocket or HTTP one without credentials in it. */
export function checkLivekitUrl(url: string): void {
  if (!URL.canParse(url)) throw new ServiceError("VALIDATION_ERROR", "livekit_url is not a URL");
  const { protocol, username, password } = new URL(url);
  if (!PROTOCOLS.includes(protocol)) {
    throw new ServiceError("VALIDATION_ERROR", "livekit_url must begin with wss://, ws://, https:// or http://");
  }
  if (username !== "" || password !== "") {
    throw new ServiceError("VALIDATION_ERROR", "livekit_url must not hold credentials");
  }
}
