// The connection of a session to its account's realtime server: a WebSocket; every connection of it passes the address
// guard. Redirects are not followed, so that the key reaches no other server.
import { WebSocket } from "ws";
import type { AddressGuard } from "../../program/outgoing/address-guard.ts";
import { portOf } from "../../program/outgoing/address-rules.ts";
import { guardedLookup } from "../../program/outgoing/guarded-lookup.ts";
import { TokenBucket } from "../../program/token-bucket.ts";
import type { JobProvider } from "../../shared/runtime-api.ts";
import type { ConnectRealtime } from "./realtime-link.ts";

const PROTOCOLS = ["https:", "http:"];
const HANDSHAKE_TIMEOUT_MS = 6_000;
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** More than this has not been sent: the server does not read. */
const MOST_BYTES = 4_000_000;
/** What is read of a server, at once and each second: audio comes far faster than it is heard, but not endlessly. More
 *  waits in the connection, where the server notices. */
const EVENTS = { burst: 1_000, perSecond: 500 };
const BYTES = { burst: 32_000_000, perSecond: 4_000_000 };
/** A server of which nothing comes, not even the answer to a ping, until the next one is gone, ms. */
const PING_MS = 15_000;

type Server = Pick<JobProvider, "base_url" | "api_key" | "model">;

/** Connects to the account's server. */
export function connectProvider(guard: AddressGuard, { base_url: base, api_key: key, model }: Server): ConnectRealtime {
  return ({ onEvent, onClosed }) => {
    const url = guard.parseUrl(`${base.replace(/\/+$/, "")}/realtime`, PROTOCOLS);
    const lookup = guardedLookup(guard, portOf(url));
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("model", model);
    const socket = new WebSocket(url, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
      // Passed on to Node's `connect`; the types of `ws` do not know it.
      ...({ lookup } as object),
    });
    const [events, bytes] = [new TokenBucket(EVENTS), new TokenBucket(BYTES)];
    let resumption: NodeJS.Timeout | undefined;
    let isAlive = true;
    const pings = setInterval(() => {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      if (socket.readyState === socket.OPEN) socket.ping();
      else isAlive = true;
    }, PING_MS);
    let cause: unknown;
    socket
      .on("message", (data, isBinary) => {
        isAlive = true;
        const text = String(data);
        events.take(1);
        bytes.take(text.length);
        const waitMs = Math.max(events.waitMs, bytes.waitMs);
        if (waitMs > 0 && !socket.isPaused) {
          socket.pause();
          resumption = setTimeout(() => socket.resume(), waitMs);
        }
        if (isBinary) return;
        try {
          onEvent(JSON.parse(text));
        } catch {
          // No event: as good as none.
        }
      })
      .on("pong", () => {
        isAlive = true;
      })
      .on("error", (error) => {
        cause ??= error;
      })
      .on("close", (code) => {
        clearInterval(pings);
        clearTimeout(resumption);
        onClosed(cause ?? new Error(`the realtime server closed the connection with ${code}`));
      });
    return {
      send: (event) => {
        if (socket.readyState !== socket.OPEN) return;
        if (socket.bufferedAmount > MOST_BYTES) socket.terminate();
        else socket.send(JSON.stringify(event));
      },
      close: () => socket.terminate(),
    };
  };
}
