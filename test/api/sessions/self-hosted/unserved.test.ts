// Self-hosted sessions that serve nothing cost nothing, so their number is bounded.
import { sql } from "kysely";
import t from "tap";
import { deleteUnserved } from "../../../../api/sessions/self-hosted/self-hosted-store.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { type TestApi, withIdleApi } from "../../../helpers/service/with-api.ts";

const HOUR_MS = 3_600_000;

async function withRuntime(
  work: (runtime: {
    api: TestApi;
    /** Begins a session. */
    begin(): ReturnType<TestApi["call"]>;
    post(id: string, path: "beat" | "stop", body: object): ReturnType<TestApi["call"]>;
    /** Adds copies of a session. */
    copy(id: string, count: number): Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 100 });
    const agentCode = await addAgent(api.services, { userId: account.userId });
    const bearer = (await api.call("POST", "/v1/runtime-tokens/request", { secret, body: {} })).body.data.token;
    const body = { agent_code: agentCode, model: "essence-2", host: "kiosk" };
    await work({
      api,
      begin: () => api.call("POST", "/v1/runtime/sessions", { bearer, body }),
      post: (id, path, report) => api.call("POST", `/v1/runtime/sessions/${id}/${path}`, { bearer, body: report }),
      copy: (id, count) =>
        sql`
          insert into avatar_sessions
          select (jsonb_populate_record(session, jsonb_build_object('id', 'cs_copy_' || number))).*
          from avatar_sessions session, generate_series(1, ${count}) number where session.id = ${id}
        `.execute(api.services.database),
    });
  });
}

t.test(
  "a session that has served 0 s stays in the cap whatever its beats; those that serve are not counted",
  async (t) => {
    await withRuntime(async ({ api, begin, post, copy }) => {
      const { session_id: id } = (await begin()).body;
      t.equal((await post(id, "beat", { seq: 1, served_seconds: 0 })).status, 200);
      await copy(id, 998);
      t.equal((await begin()).status, 200, "the thousandth");
      const refused = await begin();
      t.match(refused, {
        status: 503,
        body: { error: { code: "SERVICE_UNAVAILABLE", message: /1000 .* have served nothing/ } },
      });
      t.equal(refused.headers.get("retry-after"), "60");
      t.equal((await post(id, "beat", { seq: 2, served_seconds: 0.04 })).status, 200);
      t.equal((await begin()).status, 503, "less than what is billed is nothing");
      await api.services.database.updateTable("avatar_sessions").set({ served_deciseconds: 1 }).execute();
      t.equal((await begin()).status, 200, "paid sessions are not limited");
    });
  },
);

t.test("ended sessions that served nothing expire, at once beyond the newest ones; others stay", async (t) => {
  await withRuntime(async ({ api, begin, post, copy }) => {
    const { database, now } = api.services;
    const ids = async () => (await database.selectFrom("avatar_sessions").select("id").execute()).map(({ id }) => id);
    const sweep = (before: number, keptPerAccount = 1_000) =>
      deleteUnserved(database, { before: new Date(now() + before), keptPerAccount });
    const [unserved, served, running] = [await begin(), await begin(), await begin()].map(
      ({ body }) => body.session_id as string,
    );
    await post(unserved, "stop", { served_seconds: 0 });
    await post(served, "beat", { seq: 1, served_seconds: 1 });
    await post(served, "stop", { served_seconds: 1 });
    await sweep(-HOUR_MS);
    t.equal((await ids()).length, 3, "all are kept for a while");
    await copy(unserved, 20);
    await sweep(-HOUR_MS, 5);
    t.equal((await ids()).length, 7, "five of the newest, the served one and the running one");
    await sweep(HOUR_MS);
    t.same((await ids()).sort(), [served, running].sort());
  });
});
