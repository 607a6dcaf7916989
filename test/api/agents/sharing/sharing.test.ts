// An agent's setting of public sharing.
import t from "tap";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

const PATH = "/v1/agent/nova/sharing";

t.test("an agent is not shared until its owner says so, on the sites that the owner names", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    await addAgent(api.services, { userId: account.userId, code: "nova" });
    const get = async () => (await api.call("GET", PATH, { secret })).body.data;
    const put = (body: object) => api.call("PUT", PATH, { secret, body });
    const standard = { is_public: false, origins: [], visitor_minutes_per_day: 30, sessions_per_day: 100, url: null };
    t.same(await get(), standard);

    const set = await put({
      is_public: true,
      origins: ["https://Shop.example/", "https://shop.example", "https://*.shop.example", "http://localhost:3000"],
      visitor_minutes_per_day: 5,
      sessions_per_day: 7,
    });
    const data = {
      is_public: true,
      origins: ["https://shop.example", "https://*.shop.example", "http://localhost:3000"],
      visitor_minutes_per_day: 5,
      sessions_per_day: 7,
      url: `${api.baseUrl}/share/nova`,
    };
    t.match(set, { status: 200, body: { success: true } });
    t.same({ ...set.body.data, url: undefined }, { ...data, url: undefined }, "each site once, as browsers name it");
    t.match(set.body.data.url, /\/share\/nova$/);
    t.same(await get(), set.body.data);
    t.same((await put({ is_public: false })).body.data, standard, "absent fields get their defaults");
    t.equal((await put({ is_public: true, origins: null, sessions_per_day: null })).body.data.sessions_per_day, 100);

    for (const bad of [
      {},
      { is_public: "yes" },
      { is_public: true, origins: ["http://shop.example"] },
      { is_public: true, origins: ["*"] },
      { is_public: true, origins: ["https://shop.example; script-src *"] },
      { is_public: true, origins: Array(51).fill("https://shop.example") },
      { is_public: true, visitor_minutes_per_day: 0 },
      { is_public: true, visitor_minutes_per_day: 1441 },
      { is_public: true, sessions_per_day: 0 },
      { is_public: true, sessions_per_day: 100_001 },
    ]) {
      t.equal((await put(bad)).status, 400, JSON.stringify(bad).slice(0, 80));
    }
    const named = await put({ is_public: true, origins: ["https://shop.example", "http://shop.example"] });
    t.match(named.body.error.message, /origins.*https/, "the refusal says which field and what it takes");

    const stranger = await api.addAccount();
    const asStranger = { secret: stranger.secret };
    t.equal((await api.call("GET", PATH, asStranger)).status, 404);
    t.equal((await api.call("PUT", PATH, { ...asStranger, body: { is_public: true } })).status, 404);
    t.equal((await api.call("GET", PATH)).status, 401);
  });
});
