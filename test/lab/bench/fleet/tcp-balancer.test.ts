import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import t from "tap";
import { TcpBalancer } from "../../../../lab/bench/fleet/tcp-balancer.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.test("connections go to the servers that answer their probe, in turn", async (t) => {
  const servers = await Promise.all(["a", "b"].map(startServer));
  const balancer = new TcpBalancer({ ports: servers.map(({ port }) => port), probePath: "/well", probeMs: 20 });
  const port = await balancer.start();
  t.teardown(async () => {
    await balancer.close();
    for (const server of servers) server.close();
  });
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } })).text();
  const names = async () => new Set([await ask(), await ask(), await ask(), await ask()]);

  t.same(await names(), new Set(["a", "b"]));
  balancer.pin(1);
  t.same(await names(), new Set(["b"]), "pinned");
  balancer.pin(undefined);

  const open = connect(port, "127.0.0.1");
  open.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  await once(open, "data");
  for (const server of servers) server.isWell = false;
  await once(open, "close");
  t.pass("a server that fails its probe loses its connections");
  t.ok(await ask(), "if no server is well, they are tried all the same");
  servers[1].isWell = true;
  await waitFor(async () => (await names()).has("b") && !(await names()).has("a"), "only the well one is used");

  servers[0].isWell = true;
  await waitFor(async () => (await names()).size === 2, "both are well again");
  servers[0].close();
  t.same(await names(), new Set(["b"]), "a server that does not listen is passed over before a probe has noticed");
  servers[1].close();
  await t.rejects(ask(), "without any server the client is told so");
});

async function startServer(name: string) {
  const state = { isWell: true };
  const server = createServer((request, response) => {
    if (request.url === "/well") response.writeHead(state.isWell ? 200 : 503).end();
    else response.end(name);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return Object.assign(state, {
    port: typeof address === "object" && address ? address.port : 0,
    close() {
      server.close();
      server.closeAllConnections();
    },
  });
}
