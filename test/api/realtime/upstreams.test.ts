// Where calls lead: a configured server, or the service's own.
import t from "tap";
import { addRealtimeWorker, relayOf } from "../../helpers/service/relay-calls.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";

t.test("a call that names no model goes to gpt-realtime-mini, else to the first server, else to our own", async (t) => {
  const entry = (name: string) => ({ name, base_url: `http://127.0.0.1:9/${name}` });
  const cases: [object[], string][] = [
    [[entry("other"), entry("gpt-realtime-mini")], "gpt-realtime-mini"],
    [[entry("first"), entry("second")], "first"],
    [[], "service-realtime"],
  ];
  for (const [upstreams, model] of cases) {
    const listed = { AVATAR_REALTIME_UPSTREAMS: JSON.stringify(upstreams) };
    await withIdleApi(
      async (api) => {
        await addRealtimeWorker(api, 4);
        const { secret } = await api.addAccount({ credits: 10 });
        const { open } = relayOf(api);
        t.match(await open(secret), { status: 200, body: { model } });
        if (upstreams.length > 0) return;
        const refused = await open(secret, "gpt-realtime-mini");
        t.match(
          refused,
          { status: 503, body: { error: { message: /service-realtime/ } } },
          "by its name, it is refused",
        );
        t.match(refused.headers.get("retry-after"), /^\d+$/);
      },
      { environment: upstreams.length > 0 ? listed : {} },
    );
  }
});

t.test("our own server is reached with the worker's credential and what the agent is", async (t) => {
  await withIdleApi(async (api) => {
    const { secret } = await api.addAccount({ credits: 10 });
    await addRealtimeWorker(api, 16);
    const query = { voice: "M2", language: "de", mode: "text", model: "x", call_id: "y" };
    const { status, body } = await relayOf(api).open(secret, "service-realtime", { query });
    t.equal(status, 200);
    t.equal(body.upstream.url, "ws://127.0.0.1:9/v1/realtime?voice=M2&language=de");
    t.match(body.upstream.headers.authorization, /^Bearer eyJ/);
    const session = JSON.parse(Buffer.from(body.upstream.headers["X-Service-Session"], "base64url").toString());
    t.match(session, { mode: "text" });
    const other = await relayOf(api).open(secret, "service-realtime", { query: { agent: "A00AAA0000" } });
    t.match(other, { status: 404, body: { error: { message: /^Agent not found/ } } });

    const text = await relayOf(api).open(secret, null, { query: { mode: "text" } });
    t.match(text, { status: 200, body: { model: "service-realtime" } }, "text mode needs no model");
    for (const [name, value] of Object.entries({ voice: "nobody", language: "1", mode: "video" })) {
      const refused = await relayOf(api).open(secret, "service-realtime", { query: { [name]: value } });
      t.match(
        refused,
        { status: 400, body: { error: { code: "VALIDATION_ERROR", message: new RegExp(value) } } },
        name,
      );
    }
  });
});
