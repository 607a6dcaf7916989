// Concurrent changes and reads: each answers for its own account, and the last change stays.
import t from "tap";
import { changeSystemPrompt } from "../../../api/agents/change-system-prompt.ts";
import { findAgentByCode } from "../../../api/agents/record/agent-store.ts";
import { createDatabase, type Database } from "../../../api/kernel/database/database.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";

t.test(
  "of concurrent changes the last one stays; changes of another account or of a deleted agent are refused",
  async (t) => {
    await withIdleApi(async (api) => {
      const { account, secret } = await api.addAccount({ plan: "custom" });
      const stranger = await api.addAccount({ plan: "custom" });
      const [one, two, gone] = await Promise.all(
        [1, 2, 3].map(() => addAgent(api.services, { userId: account.userId })),
      );
      t.equal((await api.call("DELETE", `/v1/agent/${gone}`, { secret })).status, 200);
      const change = (code: string, prompt: string, from = secret) =>
        api.call("POST", `/v1/agent/${code}`, { secret: from, body: { system_prompt: prompt } });
      const answers = await Promise.all([
        change(one, "by a stranger", stranger.secret),
        ...Array.from({ length: 20 }, (_, index) => change(index % 2 ? one : two, `prompt ${index}`)),
        change(one, "by a stranger", stranger.secret),
        change(gone, "too late"),
        change("A".repeat(300), "nobody"),
      ]);
      t.same(
        answers.map(({ status }) => status),
        [404, ...Array.from({ length: 20 }, () => 200), 404, 404, 404],
      );
      t.equal(answers[23].body.error.message, `Agent not found for code: ${"A".repeat(100)}`);
      const read = (code: string, from = secret) => api.call("GET", `/v1/agent/status/${code}`, { secret: from });
      const [first, second, foreign, deleted] = await Promise.all([
        read(one),
        read(two),
        read(one, stranger.secret),
        read(gone),
      ]);
      // Requests of one client arrive in any order, so one of its changes stays.
      t.match(first.body.data.system_prompt, /^prompt \d*[13579]$/);
      t.match(second.body.data.system_prompt, /^prompt \d*[02468]$/);
      t.same([foreign.status, deleted.status], [404, 404]);
    });
  },
);

t.test("of changes in one statement the last one stays, and a reader sees it at once", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "custom" });
    const code = await addAgent(api.services, { userId: account.userId });
    const { database } = api.services;
    const now = new Date(api.services.now());
    const changes = Array.from({ length: 30 }, (_, index) =>
      changeSystemPrompt(database, { userId: account.userId, code, systemPrompt: `prompt ${index}`, now }),
    );
    t.ok((await Promise.all(changes)).every((isChanged) => isChanged));
    const { body } = await api.call("GET", `/v1/agent/status/${code}`, { secret });
    t.match(body.data, { system_prompt: "prompt 29", updated_at: now.toISOString() });
  });
});

t.test("a change of a locked agent waits without delaying changes of other agents, in every process", async (t) => {
  await withIdleApi(async (api) => {
    const { account } = await api.addAccount({ plan: "custom" });
    const add = () => addAgent(api.services, { userId: account.userId });
    const [held, ...free] = await Promise.all(Array.from({ length: 12 }, add));
    // Each handle of the database shares its own statements, as processes do.
    const databases = [1, 2, 3].map(() => createDatabase(api.services.pool));
    const change = (database: Database, code: string, systemPrompt: string) =>
      changeSystemPrompt(database, { userId: account.userId, code, systemPrompt, now: new Date() });
    let isHeldChanged = false;
    let waiting = Promise.resolve(false);
    await databases[0].transaction().execute(async (transaction) => {
      await findAgentByCode(transaction, held, { lock: true });
      waiting = change(databases[1], held, "at last").then((isChanged) => {
        isHeldChanged = true;
        return isChanged;
      });
      const changes = Array.from({ length: 10 }, (_, round) =>
        databases.flatMap((database, index) =>
          (index % 2 ? free : free.toReversed()).map((code) => change(database, code, `${round}`)),
        ),
      );
      t.ok(
        (await Promise.all(changes.flat())).every((isChanged) => isChanged),
        "others go on",
      );
      t.notOk(isHeldChanged, "it is waited for");
    });
    t.ok(await waiting);
    t.match(await findAgentByCode(databases[0], held), { systemPrompt: "at last" });
  });
});
