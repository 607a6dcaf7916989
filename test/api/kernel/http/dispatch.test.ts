import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import t from "tap";
import { createDispatch, type Endpoint } from "../../../../api/kernel/http/dispatch.ts";

const endpoint = (path: string): Endpoint => ({
  method: "get",
  path,
  handler: (context) => {
    context.body = path;
  },
});

t.test("a literal path is tried before a parameter, whatever other paths there are", async (t) => {
  const others = Array.from({ length: 40 }, (_, index) => endpoint(`/p${index}`));
  for (let count = 0; count <= others.length; count++) {
    const [before, after] = [others.slice(0, count), others.slice(count)];
    const app = new Koa();
    app.use(createDispatch([endpoint("/embed/:code"), ...before, endpoint("/embed/agent"), ...after]));
    const server = createServer(app.callback()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    t.equal(await ask("/embed/agent"), "/embed/agent", `${count} paths between`);
    t.equal(await ask("/embed/guide"), "/embed/:code");
    server.closeAllConnections();
    server.close();
  }
});
