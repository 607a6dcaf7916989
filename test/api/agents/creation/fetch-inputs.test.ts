// Files that a creation fetches from callers' servers: slow ones take no place of another account's creation.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { balanceOf } from "../../../../api/accounts/credits/ledger.ts";
import { untilAgent } from "../../../helpers/service/until-agent.ts";
import { withAgents } from "../../../helpers/service/with-agents.ts";
import { withApi } from "../../../helpers/service/with-api.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.test("images that do not come hold up no creation of another account", async (t) => {
  const open = new Set<string>();
  let mostOpen = 0;
  // The request that waits five seconds for its image leaves it to the job, which asks again.
  const asked = new Map<string, number>();
  const server = createServer(({ url = "" }, response) => {
    asked.set(url, (asked.get(url) ?? 0) + 1);
    if (asked.get(url) === 1) return;
    open.add(url);
    mostOpen = Math.max(mostOpen, open.size);
    response.once("close", () => open.delete(url));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  await withApi(
    async (api) => {
      const [ada, bob] = [await api.addAccount({ credits: 5_000 }), await api.addAccount({ credits: 500 })];
      const create = (secret: string, body: object) =>
        api.call("POST", "/v1/agent/generate", { secret, body: { model: "expression-1", prompt: "Hi.", ...body } });
      const stalled = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((n) => create(ada.secret, { image: `http://127.0.0.1:${port}/${n}.png` })),
      );
      await waitFor(() => open.size > 0, "a download in a job");
      const { body } = await create(bob.secret, {});
      t.match(await untilAgent(api, bob.secret, body.agent_id), { status: "ready" });
      t.ok(open.size > 0, "while the downloads still wait");
      t.equal(mostOpen, 2, "two of an account at a time");

      await api.call("DELETE", `/v1/agent/${stalled[5].body.agent_id}`, { secret: ada.secret });
      const failed = await untilAgent(api, ada.secret, stalled[0].body.agent_id);
      t.match(failed, { status: "failed", error_message: /Failed at voice and portrait: .*in time/ });
      t.equal(asked.get("/1.png"), 2, "what took too long is not fetched again");
    },
    { environment: { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" } },
  );
});

t.test("a refused image is fetched once, fails the agent with one refund and leaves nothing", async (t) => {
  await withAgents(t, async (context) => {
    let fetched = 0;
    const server = createServer((_request, response) => {
      fetched++;
      if (fetched === 1) response.writeHead(503).end();
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => server.close());
    const image = `http://127.0.0.1:${(server.address() as AddressInfo).port}/face.png`;
    const agent = await context.create({ image });
    t.equal(await context.balance(), 500);
    await Promise.all([1, 2].map(() => context.runJob(agent, { isLastAttempt: false })));
    t.match(await context.load(agent), { status: "failed", errorMessage: /404/, imageKey: null });
    t.equal((await balanceOf(context.services.database, context.account.userId)).total, 1000);
    const objects: string[] = [];
    for await (const { key } of context.services.storage.list()) objects.push(key);
    t.same(objects, []);
    await context.runJob(agent);
    t.equal(await context.balance(), 1000, "refunded once");
  });
});
