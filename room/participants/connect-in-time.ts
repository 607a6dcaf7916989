// Joins a room within a time limit, which the native client does not have: a server that accepts the connection and
// stays silent would hold it up for good.
import type { Room } from "@livekit/rtc-node";
import { ServiceError } from "../../shared/errors.ts";

/** Joins with auto-subscribe off: an avatar receives byte streams, not tracks. With dynacast, the server says whether
 *  its video has subscribers. Throws UPSTREAM_TIMEOUT after `timeoutMs`, and the client's error. */
export async function connectInTime(room: Room, url: string, token: string, timeoutMs: number): Promise<void> {
  const joining = room.connect(url, token, { autoSubscribe: false, dynacast: true });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // The native join goes on. If it succeeds later, the avatar must leave the room.
      joining.then(() => room.disconnect()).catch(() => undefined);
      reject(new ServiceError("UPSTREAM_TIMEOUT", `The LiveKit server did not answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
  });
  try {
    await Promise.race([joining, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
