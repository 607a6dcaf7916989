import { decodeJwt } from "jose";

/** Whether a join token lets the avatar subscribe to tracks, as LiveKit reads it: unless it forbids that. False for
 *  what is no token. */
export function maySubscribe(livekitToken: string): boolean {
  try {
    const { video } = decodeJwt<{ video?: { canSubscribe?: boolean } }>(livekitToken);
    return video?.canSubscribe !== false;
  } catch {
    return false;
  }
}
