// Clients that stay silent, or send a byte now and then.
import { type AddressInfo, connect } from "node:net";
import t from "tap";
import { createHttpServer } from "../../../../api/kernel/http/create-http-server.ts";

const LIMITS = { headersMs: 300, requestMs: 600 };
const SLOW: readonly [string, string][] = [
  ["says nothing", ""],
  ["never ends its headers", "GET / HTTP/1.1\r\nX-Long: "],
  ["never ends its body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"],
];

t.test("a client that is slower than the limits is told so, and its connection is closed", async (t) => {
  const server = createHttpServer((request, response) => {
    request.resume().once("end", () => response.end("done"));
  }, LIMITS);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  for (const [name, beginning] of SLOW) {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (text) => {
      answer += text;
    });
    socket.on("error", () => undefined);
    socket.write(beginning);
    // One byte after the other keeps no connection open.
    const timer = beginning === "" ? undefined : setInterval(() => socket.write("x"), 50);
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(timer);
    t.match(answer, beginning === "" ? /^$|408/ : /^HTTP\/1.1 408 .*"VALIDATION_ERROR"/s, `a client that ${name}`);
  }
  await new Promise((resolve) => server.close(resolve));
});
