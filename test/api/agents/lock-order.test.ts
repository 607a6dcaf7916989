// Concurrent changes of one agent: each gets its own answer in any order.
import { sql } from "kysely";
import t from "tap";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.test("a regeneration and an added model of one agent do not deadlock", async (t) => {
  await withIdleApi(async (api) => {
    const { database } = api.services;
    const { account, secret } = await api.addAccount({ plan: "creator" });
    const code = await addAgent(api.services, { userId: account.userId, families: ["expression-2"] });
    // A portrait of the gallery is not inspected again.
    const gallery = { gallery_id: "any", subject: "person" } as const;
    await database.updateTable("agents").set(gallery).where("code", "=", code).execute();
    const waiting = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
      `.execute(database);
      return rows[0].count;
    };
    // While the agent's row is held, the addition queues up for it first and the regeneration second.
    const [addition, regeneration] = await database
      .transaction()
      .execute(async (transaction) => {
        await transaction.selectFrom("agents").select("id").where("code", "=", code).forUpdate().execute();
        const add = api.call("POST", `/v1/agent/${code}/models`, { secret, body: { model: "essence-1" } });
        await waitFor(async () => (await waiting()) === 1, "the addition waits for the agent");
        const body = { agent_id: code, prompt: "You are a test.", model: "essence-1" };
        const regenerate = api.call("POST", "/v1/agent/generate", { secret, body });
        await waitFor(async () => (await waiting()) === 2, "the regeneration waits for the agent");
        return { pending: [add, regenerate] };
      })
      .then(({ pending }) => Promise.all(pending));
    t.match(addition, { status: 402, body: { error: { code: "INSUFFICIENT_BALANCE" } } });
    t.match(regeneration, { status: 402, body: { error: { code: "INSUFFICIENT_BALANCE" } } });
  });
});
