// The client of a call over a WebSocket.
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { CallEnd } from "./call-end.ts";
import { PacedSocket } from "./paced-socket.ts";
import type { CallClient, RelayCall } from "./relay-call.ts";

/** Connects an open WebSocket with a call and begins it. */
export function joinWebSocket(call: RelayCall, socket: WebSocket, connection: Socket): void {
  const paced = new PacedSocket(socket, {
    connection,
    onEvent(data, isBinary) {
      if (!call.send(data, isBinary)) paced.pause();
    },
    onClose: (code, text) => call.end({ reason: "client_closed", code, text }),
    onDrain: () => call.resume(),
    onSent: (waitMs) => call.noteSentDown(waitMs),
  });
  paced.start();
  const client: CallClient = {
    send: (data, isBinary) => paced.send(data, isBinary),
    onDrain: () => paced.resume(),
    heldBytes: () => paced.heldBytes,
    close: ({ code, text }: CallEnd) => paced.close(code, text),
  };
  // The server may have gone during the handshake.
  if (call.hasEnded) paced.close(1011, "The connection to the model was lost");
  else call.begin(client);
}
