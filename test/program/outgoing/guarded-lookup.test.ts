import { once } from "node:events";
import type { AddressInfo } from "node:net";
import t from "tap";
import { WebSocket, WebSocketServer } from "ws";
import { createAddressGuard } from "../../../program/outgoing/address-guard.ts";
import { guardedLookup } from "../../../program/outgoing/guarded-lookup.ts";

t.test("a WebSocket to a name is refused if one of its addresses is private", async (t) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  t.teardown(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const resolveHost = async () => [
    { address: "127.0.0.1", family: 4 },
    { address: "93.184.216.34", family: 4 },
  ];
  let hits = 0;
  server.on("connection", () => hits++);
  const connect = (allowHosts: string[]): WebSocket => {
    const guard = createAddressGuard({ resolveHost, allowHosts });
    return new WebSocket(`ws://example.com:${port}`, { lookup: guardedLookup(guard, port) });
  };

  const [refusal] = await once(connect([]), "error").catch((error: Error) => [error]);
  t.match(refusal, { code: "VALIDATION_ERROR", message: /private address/ });
  t.equal(hits, 0);
  const allowed = connect([`example.com:${port}`]);
  await once(allowed, "open");
  allowed.close();
  await once(allowed, "close");
});
