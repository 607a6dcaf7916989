// Waiting for agents: on the real api, and on services that write states of their own on the way.
import t from "tap";
import { type Agent, AgentFailedError, Client, NotFoundError, TimeoutError } from "../../../sdk/client/index.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { goldenBaker } from "../../helpers/faces/golden-baker.ts";
import { withApi } from "../../helpers/service/with-api.ts";

t.test("an agent becomes ready; one that cannot be made rejects, also if an earlier one works on", async (t) => {
  const baker = goldenBaker();
  const { bake } = baker;
  await withApi(
    async (api) => {
      const { secret } = await api.addAccount({ credits: 20_000 });
      const client = new Client({ baseUrl: api.baseUrl, apiSecret: secret });
      const order = { prompt: "You are Nova, a guide.", model: "essence-2" };
      const seen: number[] = [];
      const onProgress = ({ progress }: Agent): number => seen.push(progress);
      const agent = await client.agents.create(order).ready({ pollMs: 50, onProgress });
      t.match(agent, { status: "ready", progress: 1, model_status: { "essence-2": { state: "ready", reason: null } } });
      t.equal(seen.at(-1), 1);
      t.same(seen, [...seen].sort(), "progress only grows");
      t.ok((await (await client.models.download(agent.code)).arrayBuffer()).byteLength > 1000, "its file is there");

      baker.bake = () => Promise.reject(new ServiceError("IMAGE_FACE_UNSUITABLE", "No."));
      const failed = await client.agents
        .create(order)
        .ready({ pollMs: 50 })
        .catch((error) => error);
      t.type(failed, AgentFailedError);
      t.match(failed, { message: "Failed at lip sync: No.", agent: { status: "failed" } });

      const again = { ...order, agent_id: agent.code };
      for (const time of ["once", "and again, with the same reason"]) {
        const error = await client.agents
          .create(again)
          .ready({ pollMs: 50 })
          .catch((failure) => failure);
        t.match(error, { message: "Failed at lip sync: No.", agent: { code: agent.code, status: "ready" } }, time);
      }
      baker.bake = bake;
      t.match(await client.agents.create(again).ready({ pollMs: 50 }), { code: agent.code, status: "ready" });
      await t.rejects(client.agents.create({ model: "none" }).ready(), { code: "VALIDATION_ERROR" });
      await t.rejects(client.agents.ready("nothing"), NotFoundError);
    },
    { baker },
  );
});

type Look = Partial<Pick<Agent, "status" | "progress" | "model_status" | "error_message">> | number;

/** A client, and a service that answers its looks one after the other, or refuses them with a status. */
function lookingAt(...looks: Look[]): { client: Client; left: () => number } {
  const respond: typeof fetch = async (input) => {
    if (String(input).endsWith("/generate"))
      return Response.json({ success: true, agent_id: "A", status: "processing" });
    const look = looks.length > 1 ? looks.shift() : looks[0];
    if (typeof look === "number") return new Response("<html>", { status: look });
    return Response.json({ success: true, data: { agent_id: "A", model_status: {}, ...look } });
  };
  const client = new Client({ baseUrl: "http://foreign.example", apiSecret: "s", fetch: respond, maxRetries: 0 });
  return { client, left: () => looks.length };
}

const QUICK = { pollMs: 1 };

t.test("`completed`, and `success` before the end, do not end the waiting", async (t) => {
  for (const end of [
    { status: "ready" as const, progress: 1 },
    { status: "success" as const, progress: 1 },
  ]) {
    const { client, left } = lookingAt(
      { status: "processing", progress: 0 },
      { status: "completed", progress: 0.05 },
      { status: "success", progress: 0.45 },
      { status: "generating", progress: 0.7 },
      { status: "completed", progress: 1 },
      end,
    );
    t.match(await client.agents.create({}).ready(QUICK), end);
    t.equal(left(), 1, "the last one");
  }
});

t.test("a reason that was there before is not a failure, a new one is", async (t) => {
  const model = (reason: string | null) => ({ "essence-2": { state: "ready" as const, reason } });
  const ready = { status: "ready" as const, progress: 1 };
  const old = lookingAt(
    { status: "generating", model_status: model("Old.") },
    { ...ready, model_status: model("Old.") },
  );
  t.match(await old.client.agents.create({ agent_id: "A" }).ready(QUICK), ready);
  const renewed = lookingAt(
    { status: "generating", model_status: model("Old.") },
    { ...ready, model_status: model("New.") },
  );
  await t.rejects(renewed.client.agents.create({ agent_id: "A" }).ready(QUICK), { message: "New." });
  const atOnce = lookingAt({ ...ready, model_status: model("At once.") });
  await t.rejects(atOnce.client.agents.create({ agent_id: "A" }).ready(QUICK), { message: "At once." });
  t.match(await atOnce.client.agents.ready("A"), ready, "an agent that works, and that was not ordered now");
});

t.test("a look that fails for a moment is repeated, a refusal is not, and the wait has an end", async (t) => {
  const { client } = lookingAt(502, 429, 503, { status: "ready", progress: 1 });
  t.match(await client.agents.ready("A", QUICK), { status: "ready" });
  await t.rejects(lookingAt(502).client.agents.ready("A", QUICK), { name: "ServerError", httpStatus: 502 });
  await t.rejects(lookingAt(401).client.agents.ready("A", QUICK), { name: "AuthenticationError", httpStatus: 401 });
  const slow = lookingAt({ status: "generating", progress: 0.7 }).client.agents;
  await t.rejects(slow.ready("A", { pollMs: 5, timeoutMs: 20 }), TimeoutError);
  const controller = new AbortController();
  const waiting = slow.ready("A", { pollMs: 60_000, signal: controller.signal });
  setTimeout(() => controller.abort(), 10);
  await t.rejects(waiting, { name: "AbortError" });
});
