// What a visitor may know of an avatar without a session.
import t from "tap";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { smallAvatar } from "../../helpers/faces/small-avatar.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";

const ORIGIN = "http://127.0.0.1";

/** An agent with a real `.imx`, and an embed token for it. */
async function addVisited(api: TestApi) {
  const { account, secret } = await api.addAccount({ credits: 1000 });
  await addAgent(api.services, { userId: account.userId, code: "nova" });
  const avatar = await smallAvatar();
  await api.services.storage.put("models/nova-essence-2.imx", await writeImx(avatar));
  const body = { agent_id: "nova", shared: true };
  const minted = await api.call("POST", "/v1/embed-tokens/request", { secret, body });
  return { account, secret, avatar, bearer: minted.body.data.token as string };
}

t.test("an embed token shows name, poster, shape and gestures of its avatar, without a session", async (t) => {
  await withIdleApi(async (api) => {
    const { bearer, avatar, secret } = await addVisited(api);
    const { status, body, headers } = await api.call("GET", "/embed/agent", { bearer });
    t.match(
      { status, body },
      {
        status: 200,
        body: { name: "Test agent", poster_url: String, disclosure: true, aspect_ratio: "1:1" },
      },
    );
    t.ok(body.gestures.includes("nod"));
    t.equal(headers.get("access-control-allow-origin"), "*", "a page on another site may ask");
    t.equal(headers.get("access-control-expose-headers"), "Retry-After", "and sees when to ask again");
    const preflight = await api.call("OPTIONS", "/embed/agent");
    t.equal(preflight.headers.get("access-control-allow-methods"), "GET");

    const poster = new URL(body.poster_url);
    t.match(poster.origin, ORIGIN);
    const shown = await fetch(poster);
    t.equal(shown.status, 200);
    t.match(shown.headers.get("cache-control"), /immutable/);
    t.equal(shown.headers.get("content-type"), "image/jpeg");
    t.equal(shown.headers.get("cross-origin-resource-policy"), "cross-origin");
    t.same(new Uint8Array(await shown.arrayBuffer()), avatar.poster, "the first frame of its video");

    const forged = poster.pathname.replace("nova", "other") + poster.search;
    t.match((await api.call("GET", forged)).body.error, { code: "FORBIDDEN" });
    t.equal((await api.call("GET", poster.pathname)).status, 403);
    const asFile = `/files/models/nova-essence-2.imx${poster.search}`;
    t.equal((await api.call("GET", asFile)).status, 403, "its link does not open the model");
    await api.services.storage.delete("models/nova-essence-2.imx");
    t.equal((await api.call("GET", poster.pathname + poster.search)).status, 404);

    for (const refused of [undefined, "x", secret]) {
      t.equal((await api.call("GET", "/embed/agent", { bearer: refused })).status, 401);
    }
    await api.call("DELETE", "/v1/agent/nova", { secret });
    t.match((await api.call("GET", "/embed/agent", { bearer })).body.error, { code: "NOT_FOUND" });
  });
});

t.test("an avatar without a model file has its portrait as poster", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    await addAgent(api.services, { userId: account.userId, code: "photo", families: [] });
    const body = { agent_id: "photo", shared: true };
    const minted = await api.call("POST", "/v1/embed-tokens/request", { secret, body });
    const { poster_url: url } = (await api.call("GET", "/embed/agent", { bearer: minted.body.data.token })).body;
    t.match(url, /\/files\/portraits\/photo\.jpg/);
    t.equal((await fetch(url)).status, 200);
  });
});
