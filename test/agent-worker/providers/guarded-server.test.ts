// Requests to one server of an account: connections that are kept, closed, or aborted, and headers that cannot be sent.
import { inspect } from "node:util";
import t from "tap";
import { GuardedServer } from "../../../agent-worker/providers/guarded-server.ts";
import { createAddressGuard } from "../../../program/outgoing/address-guard.ts";
import { replyWith, withProviderServer } from "../../helpers/servers/with-provider-server.ts";

const headers = { "content-type": "application/json", authorization: "Bearer sk-the-key" };

t.test("a connection is kept; one that the server has closed meanwhile is replaced, once", async (t) => {
  await withProviderServer(async (provider) => {
    const ports: (number | undefined)[] = [];
    let breaks = 0;
    provider.use((request, response) => {
      ports.push(response.socket?.remotePort);
      if (breaks-- > 0) response.socket?.destroy();
      else replyWith(200)(request, response);
    });
    const guard = createAddressGuard({ allowPrivate: true });
    const server = new GuardedServer(guard, `${provider.baseUrl}/chat/completions`);
    const post = async () => {
      const answer = await server.post({ headers, body: "{}", signal: AbortSignal.timeout(5_000) });
      for await (const _ of answer);
      return answer.statusCode;
    };
    t.equal(await post(), 200);
    t.equal(await post(), 200);
    t.equal(ports[0], ports[1], "the same connection");
    breaks = 1;
    t.equal(await post(), 200, "a stale connection is no fault");
    t.equal(ports.length, 4);
    breaks = 2;
    await t.rejects(post(), { code: "ECONNRESET" }, "a server that breaks off again is");
    t.equal(ports.length, 6);
    server.close();
  });
});

t.test("an aborted request ends, before and while its answer is read", async (t) => {
  await withProviderServer(async (provider) => {
    const guard = createAddressGuard({ allowPrivate: true });
    const server = new GuardedServer(guard, `${provider.baseUrl}/chat/completions`);
    provider.use(() => undefined);
    const early = new AbortController();
    const waiting = server.post({ headers, body: "{}", signal: early.signal });
    setTimeout(() => early.abort(), 50);
    await t.rejects(waiting, { name: "AbortError" });
    provider.use((_request, response) => {
      response.writeHead(200).write("beginning");
    });
    const late = new AbortController();
    const answer = await server.post({ headers, body: "{}", signal: late.signal });
    setTimeout(() => late.abort(), 50);
    await t.rejects(async () => {
      for await (const _ of answer);
    });
    server.close();
  });
});

t.test("a key that no header can hold is refused without being quoted", async (t) => {
  const server = new GuardedServer(createAddressGuard({ allowPrivate: true }), "http://127.0.0.1:9/v1");
  const wrong = { authorization: "Bearer sk-the\nkey" };
  const error = await server
    .post({ headers: wrong, body: "", signal: AbortSignal.timeout(1_000) })
    .then(t.fail, (thrown: unknown) => thrown);
  t.match(error, { code: "invalid-input" });
  t.notMatch(inspect(error), /sk-the/);
  server.close();
});
