import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { createAddressGuard } from "../../../program/outgoing/address-guard.ts";
import { isPublicAddress } from "../../../program/outgoing/address-rules.ts";
import { createOutgoingClient } from "../../../program/outgoing/outgoing-client.ts";

const limits = { maxBytes: 1000, timeoutMs: 3000 };
const PUBLIC_ADDRESS = "93.184.216.34";

/** A server on loopback that counts who reaches it. */
async function withServer(use: (port: number, hits: () => number) => Promise<void>): Promise<void> {
  let hits = 0;
  const server = createServer((incoming, outgoing) => {
    hits++;
    const port = (server.address() as AddressInfo).port;
    if (incoming.url === "/to-private") outgoing.writeHead(302, { location: `http://10.0.0.1:${port}/` }).end();
    else if (incoming.url === "/loop") outgoing.writeHead(302, { location: "/loop" }).end();
    else if (incoming.url === "/once") outgoing.writeHead(302, { location: "/file" }).end();
    else if (incoming.url === "/to-file-scheme") outgoing.writeHead(302, { location: "file:///etc/passwd" }).end();
    else if (incoming.url === "/large-declared")
      outgoing.writeHead(200, { "content-length": "5000" }).end("x".repeat(5000));
    else if (incoming.url === "/large-streamed") for (let i = 0; i < 50; i++) outgoing.write("x".repeat(100));
    else if (incoming.url === "/silent") return;
    else if (incoming.url === "/missing") outgoing.writeHead(404).end("no");
    else outgoing.writeHead(200, { "content-type": "Image/PNG; charset=x" }).end("bytes");
    if (incoming.url === "/large-streamed") outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use((server.address() as AddressInfo).port, () => hits);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

t.test("no notation of a private address reaches the server", async (t) => {
  await withServer(async (port, hits) => {
    const client = createOutgoingClient({
      resolveHost: async (hostname) => {
        if (hostname === "private.test") return [{ address: "10.0.0.1", family: 4 }];
        if (hostname === "mixed.test") return [PUBLIC_ADDRESS, "127.0.0.1"].map((address) => ({ address, family: 4 }));
        return [{ address: "127.0.0.1", family: 4 }];
      },
    });
    const hosts = [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "0.0.0.0",
      "[::ffff:127.0.0.1]",
      "2130706433",
      "0x7f.1",
      "169.254.169.254",
      "loop.test",
      "private.test",
      "127.1",
      "[64:ff9b::7f00:1]",
      "mixed.test",
      "100.64.0.1",
      "[fd00::1]",
    ];
    for (const host of hosts) {
      await t.rejects(client.download(`http://${host}:${port}/file`, limits), { code: "VALIDATION_ERROR" }, host);
    }
    t.equal(hits(), 0);
    await client.close();
  });
});

t.test("a name is resolved once and the checked address is contacted, so DNS rebinding has no effect", async (t) => {
  await withServer(async (port, hits) => {
    let calls = 0;
    const client = createOutgoingClient({
      resolveHost: async () => [{ address: calls++ === 0 ? PUBLIC_ADDRESS : "127.0.0.1", family: 4 }],
    });
    await t.rejects(client.download(`http://rebind.test:${port}/`, { ...limits, timeoutMs: 300 }));
    t.equal(calls, 1);
    t.equal(hits(), 0);
    await client.close();
  });
});

t.test("redirects are followed, counted, and checked like the first request", async (t) => {
  await withServer(async (port, hits) => {
    const client = createOutgoingClient({ allowHosts: [`127.0.0.1:${port}`] });
    const url = (path: string) => `http://127.0.0.1:${port}${path}`;
    t.match(await client.download(url("/once"), limits), { bytes: Buffer.from("bytes"), contentType: "image/png" });
    await t.rejects(client.download(url("/to-private"), limits), { code: "VALIDATION_ERROR" });
    await t.rejects(client.download(url("/to-file-scheme"), limits), { code: "VALIDATION_ERROR" });
    const before = hits();
    await t.rejects(client.download(url("/loop"), limits), { code: "DOWNLOAD_FAILED", message: /redirects/ });
    t.equal(hits() - before, 5, "one request and four redirects");
    await client.close();
  });
});

t.test("size, time and status of an answer are checked", async (t) => {
  await withServer(async (port) => {
    const client = createOutgoingClient({ allowPrivate: true });
    const url = (path: string) => `http://127.0.0.1:${port}${path}`;
    await t.rejects(client.download(url("/large-declared"), limits), { code: "FILE_TOO_LARGE" });
    await t.rejects(client.download(url("/large-streamed"), limits), { code: "FILE_TOO_LARGE" });
    await t.rejects(client.download(url("/missing"), limits), { code: "DOWNLOAD_FAILED", message: /404/ });
    await t.rejects(client.download(url("/silent"), { ...limits, timeoutMs: 200 }), { message: /in time/ });
    await t.rejects(client.download("http://127.0.0.1:1/", limits), { code: "DOWNLOAD_FAILED" });
    await client.close();
  });
});

t.test(
  "a POST returns the status, follows no redirect, and has the same checks and limits as a download",
  async (t) => {
    await withServer(async (port, hits) => {
      const client = createOutgoingClient({ allowHosts: [`127.0.0.1:${port}`] });
      const post = (url: string, timeoutMs = 3000) => client.post(url, { headers: {}, body: "{}", timeoutMs });
      const url = (path: string) => `http://127.0.0.1:${port}${path}`;
      t.equal(await post(url("/file")), 200);
      t.equal(await post(url("/missing")), 404);
      const before = hits();
      t.equal(await post(url("/once")), 302);
      t.equal(await post(url("/to-private")), 302);
      t.equal(hits() - before, 2);
      t.equal(await post(url("/large-streamed")), 200);
      await t.rejects(post(url("/silent"), 200), { code: "UPSTREAM_TIMEOUT" });
      const cut = AbortSignal.timeout(100);
      await t.rejects(client.post(url("/silent"), { headers: {}, body: "", timeoutMs: 3000, signal: cut }), {
        code: "UPSTREAM_UNAVAILABLE",
      });
      await client.close();
      const guarded = createOutgoingClient();
      for (const host of ["127.0.0.1", "localhost", "[::1]", "0x7f.1"]) {
        const sent = guarded.post(`http://${host}:${port}/file`, { headers: {}, body: "{}", timeoutMs: 3000 });
        await t.rejects(sent, { code: "VALIDATION_ERROR" }, host);
      }
      await guarded.close();
    });
  },
);

t.test("a URL must be absolute, have an accepted scheme and contain no credentials", async (t) => {
  const guard = createAddressGuard();
  const accepted = ["http:", "https:"];
  for (const text of ["", "portrait.png", "//host/x", "file:///etc/passwd", "ftp://host/x", "http://user:pw@host/x"]) {
    t.throws(() => guard.parseUrl(text, accepted), { code: "VALIDATION_ERROR" }, text);
  }
  t.equal(guard.parseUrl("https://host.example/x", accepted).hostname, "host.example");
});

t.test("an exception is a host or a host with a port", async (t) => {
  const guard = createAddressGuard({ allowHosts: ["127.0.0.1:7880"] });
  t.match(await guard.resolve("127.0.0.1", 7880), [{ address: "127.0.0.1" }]);
  await t.rejects(guard.resolve("127.0.0.1", 5432), { code: "VALIDATION_ERROR" });
  await t.rejects(createAddressGuard({ resolveHost: async () => [] }).resolve("empty.test", 80), /no address/);
  t.equal(isPublicAddress("not an address"), false);
});

t.test("denied address ranges and internal addresses of clouds are refused although they are public", async (t) => {
  const refused = { code: "VALIDATION_ERROR", message: /private address$/ };
  const azure = "168.63.129.16";
  await t.rejects(createAddressGuard().resolve(azure, 80), { code: "VALIDATION_ERROR" }, "Azure's WireServer");
  t.equal(isPublicAddress(`::ffff:${azure}`), false);
  const policy = { deniedRanges: ["203.0.113.7", "198.51.100.0/24", "2001:db8::/32", PUBLIC_ADDRESS] };
  const guard = createAddressGuard({ ...policy, allowPrivate: true, allowHosts: [`${PUBLIC_ADDRESS}:7880`] });
  for (const address of ["203.0.113.7", "198.51.100.200", "2001:db8::1", `::ffff:${PUBLIC_ADDRESS}`, "fe80::1%eth0"]) {
    const allowed = address.startsWith("fe80");
    if (allowed) await t.resolves(guard.resolve(address, 80), "a zone does not confuse the ranges");
    else await t.rejects(guard.resolve(address, 80), refused, address);
  }
  await t.resolves(guard.resolve("203.0.113.8", 80), "allowPrivate lets the rest through");
  await t.resolves(guard.resolve(PUBLIC_ADDRESS, 7880), "an exception wins over a range");
});

t.test("a refusal names the setting that lets private addresses through", async (t) => {
  const named = { code: "VALIDATION_ERROR", message: /private address.* AVATAR_ALLOW_PRIVATE_ADDRESSES=1$/ };
  const resolveHost = async () => [{ address: "10.0.0.1", family: 4 }];
  await t.rejects(createAddressGuard({ resolveHost }).resolve("inside.test", 80), named, "as a name");
  t.throws(() => createAddressGuard().parseUrl("http://127.0.0.1/", ["http:"]), named, "as a literal");
});

t.test(
  "a download that drips or does not begin ends long before its time limit, and says whether to retry",
  async (t) => {
    const server = createServer((incoming, outgoing) => {
      if (incoming.url === "/drip") {
        const timer = setInterval(() => outgoing.write("x"), 100);
        outgoing.once("close", () => clearInterval(timer));
      } else if (incoming.url === "/steady") {
        // Above the least speed for longer than a period.
        const timer = setInterval(() => outgoing.write(Buffer.alloc(10_000)), 500);
        setTimeout(() => outgoing.end(), 6_500);
        outgoing.once("close", () => clearInterval(timer));
      } else if (incoming.url === "/busy") outgoing.writeHead(503).end();
      else if (incoming.url === "/gone") outgoing.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const client = createOutgoingClient({ allowPrivate: true });
    const { port } = server.address() as AddressInfo;
    const fetching = (path: string) =>
      client.download(`http://127.0.0.1:${port}${path}`, { maxBytes: 1e6, timeoutMs: 120_000 });
    const startMs = performance.now();
    const [drip, silent, steady] = await Promise.allSettled(["/drip", "/silent", "/steady"].map(fetching));
    t.ok(performance.now() - startMs < 25_000);
    t.match(drip, { reason: { code: "DOWNLOAD_FAILED", message: /too slowly/, mayPass: false } });
    t.match(silent, { reason: { code: "DOWNLOAD_FAILED", message: /in time/, mayPass: false } });
    t.equal(steady.status, "fulfilled");
    for (const [path, mayPass] of [
      ["/busy", true],
      ["/gone", false],
    ] as const) {
      t.match(await fetching(path).catch((error) => error), { code: "DOWNLOAD_FAILED", mayPass }, path);
    }
    t.match(await client.download("http://127.0.0.1:1/", limits).catch((error) => error), { mayPass: true });

    const stopping = new AbortController();
    const stopped = client.download(`http://127.0.0.1:${port}/silent`, { ...limits, signal: stopping.signal });
    stopping.abort(new Error("the process stops"));
    await t.rejects(stopped, /the process stops/);
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
);
