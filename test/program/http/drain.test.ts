// The rest of a body that is answered before it has arrived.
import { createServer } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import t from "tap";
import { drain } from "../../../program/http/drain.ts";

t.test(
  "a caller that is refused gets the answer, and is disconnected if the rest of its body does not come",
  async (t) => {
    const server = createServer((request, response) => {
      response.writeHead(400).end("refused");
      drain(request, undefined, 300);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const send = async (body: string): Promise<string> => {
      const socket = createConnection({ host: "127.0.0.1", port });
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${body}`);
      let text = "";
      for await (const piece of socket) text += piece;
      return text;
    };
    t.match(await send("a few bytes"), /^HTTP\/1.1 400 [\s\S]*refused/, "the connection ends");
  },
);
