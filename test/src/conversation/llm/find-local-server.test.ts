// Language models that are found on this machine, and what else answers there.
import t from "tap";
import { findLocalServer, LOCAL_SERVER_PORTS } from "../../../../src/conversation/llm/find-local-server.ts";
import { WIRE_FORMS } from "../../../helpers/servers/chat-wire-forms.ts";
import { type ChatReply, withChatServer } from "../../../helpers/servers/with-chat-server.ts";

/** Enough on a busy machine: what is awaited here answers. */
const PATIENT = { ownPorts: [], timeoutMs: 20_000 };

t.test("each server is found with its first model that can chat", async (t) => {
  t.same(LOCAL_SERVER_PORTS, [11_434, 8080, 8000, 1234]);
  for (const { models, name } of WIRE_FORMS) {
    await withChatServer(
      () => ({ body: models }),
      async ({ baseUrl, port, requests }) => {
        t.same(await findLocalServer({ ...PATIENT, ports: [port] }), { baseUrl, model: "talker-8b" }, name);
        t.same(
          requests.map(({ method, path, headers }) => `${method} ${path} ${headers.authorization}`),
          ["GET /v1/models undefined"],
        );
        t.equal(await findLocalServer({ ports: [port], ownPorts: [port] }), null);
        t.equal(requests.length, 1, "a port of ours is not contacted");
      },
    );
  }
});

t.test("the order of ports decides, not who answers first", async (t) => {
  const { models } = WIRE_FORMS[0];
  await withChatServer(
    () => ({ body: models }),
    (fast) =>
      withChatServer(
        () => ({
          headers: { "content-type": "application/json" },
          body: [...JSON.stringify(models)].map((c) => Buffer.from(c)),
        }),
        async (slow) => {
          const found = await findLocalServer({ ...PATIENT, ports: [slow.port, fast.port] });
          t.equal(found?.baseUrl, slow.baseUrl);
        },
      ),
  );
});

t.test("what is no server with a model to chat with is passed over", async (t) => {
  const model = (id: unknown) => ({ object: "list", data: [{ id, object: "model" }] });
  const others: Record<string, ChatReply> = {
    "a page": { headers: { "content-type": "text/html" }, body: "<html>Welcome</html>" },
    "other JSON": { body: { data: [{ id: "order-1" }] } },
    "no models yet": { body: { object: "list", data: null } },
    "only embeddings": { body: { object: "list", data: [{ id: "text-embedding-3" }, { id: "BAAI/bge-m3" }, null] } },
    "a name that is a number": { body: model(4) },
    "a key is needed": { status: 401, body: model("talker") },
    "a redirect": { status: 302, headers: { location: "http://127.0.0.1:1/v1/models" } },
    "an endless list": { body: `{"object":"list","data":["${"x".repeat(300_000)}`, ending: "hang" },
    "broken off": { body: '{"object":"list"', ending: "break" },
  };
  for (const [name, reply] of Object.entries(others)) {
    await withChatServer(
      () => reply,
      async ({ port }) => t.equal(await findLocalServer({ ...PATIENT, ports: [port] }), null, name),
    );
  }
  await withChatServer(
    () => ({ ending: "hang" }),
    async ({ port }) => t.equal(await findLocalServer({ ownPorts: [], ports: [port], timeoutMs: 50 }), null, "silence"),
  );
});
