// A page opens the session of its avatar while the face is still being made.
import { readFile } from "node:fs/promises";
import t from "tap";
import { findAgentByCode, updateAgent } from "../../../api/agents/record/agent-store.ts";
import { goldenBaker } from "../../helpers/faces/golden-baker.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { readDispatch } from "../../helpers/service/control-room-worker.ts";
import { untilAgent } from "../../helpers/service/until-agent.ts";
import { type TestApi, withApi } from "../../helpers/service/with-api.ts";
import { acceptLaunches } from "../../helpers/service/with-sessions.ts";

const ASTRONAUT = new URL("../../fixtures/portraits/astronaut.png", import.meta.url);

/** A baker that waits for `release`, or fails once it was given an error. */
function heldBaker() {
  let release: (error?: Error) => void = () => undefined;
  const released = new Promise<void>((resolve, reject) => {
    release = (error) => (error ? reject(error) : resolve());
  });
  released.catch(() => undefined);
  const baker = goldenBaker();
  return {
    release,
    baker: {
      ...baker,
      bake: async (...task: Parameters<typeof baker.bake>) => {
        await released;
        return baker.bake(...task);
      },
    },
  };
}

async function order(api: TestApi) {
  const { secret } = await api.addAccount({ credits: 1000 });
  const image = `data:image/png;base64,${(await readFile(ASTRONAUT)).toString("base64")}`;
  const body = { image, model: "essence-2", aspect_ratio: "1:1", name: "Vera", voice: "F4" };
  const made = await api.call("POST", "/v1/agent/generate", { secret, body });
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  const code: string = made.body.agent_id;
  const mint = { secret, body: { agent_id: code, fingerprint: "visitor" } };
  const bearer: string = (await api.call("POST", "/v1/embed-tokens/request", mint)).body.data.token;
  return { secret, code, bearer };
}

/** The request of the session's worker for the avatar's file, and its job. */
async function asWorker(api: TestApi, livekit: Parameters<typeof readDispatch>[0]) {
  const { id } = await api.services.database.selectFrom("avatar_sessions").select("id").executeTakeFirstOrThrow();
  const bearer = (await readDispatch(livekit, id))?.runtime_token;
  const { body: job } = await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer });
  return { job, fetchModel: () => fetch(job.imx_url, { headers: { authorization: `Bearer ${bearer}` } }) };
}

t.test(
  "a session begins while its face is being made, and its worker gets the file as soon as it is there",
  async (t) => {
    const { baker, release } = heldBaker();
    await withLiveKit((livekit) =>
      withApi(
        async (api) => {
          const { secret, code, bearer } = await order(api);
          const standIn = acceptLaunches(api, livekit);
          const started = await api.call("POST", "/embed/session", { bearer, body: {} });
          t.match(started, { status: 200, body: { agent: { name: "Vera" } } });
          t.match((await api.call("GET", `/v1/agent/status/${code}`, { secret })).body.data, { status: "generating" });
          const { job, fetchModel } = await asWorker(api, livekit);
          t.match(job, { imx_sha256: null, portrait_url: null, voice_id: "F4", greeting: /Vera/ });
          let isAnswered = false;
          const fetching = fetchModel().finally(() => {
            isAnswered = true;
          });
          await new Promise((resolve) => setTimeout(resolve, 300));
          t.notOk(isAnswered, "the request waits for the bake");
          release();
          const model = await fetching;
          t.equal(model.status, 200);
          t.ok((await model.arrayBuffer()).byteLength > 1_000);
          await untilAgent(api, secret, code);
          t.match((await asWorker(api, livekit)).job, { imx_sha256: /^[0-9a-f]{64}$/ });
          await standIn.close();
        },
        { livekit, baker },
      ),
    );
  },
);

t.test("a face that fails ends the wait, and one that a person must mark begins none", async (t) => {
  const { baker, release } = heldBaker();
  await withLiveKit((livekit) =>
    withApi(
      async (api) => {
        const { secret, code, bearer } = await order(api);
        const standIn = acceptLaunches(api, livekit);
        const start = () => api.call("POST", "/embed/session", { bearer, body: {} });
        t.equal((await start()).status, 200);
        const { fetchModel } = await asWorker(api, livekit);
        const fetching = fetchModel();
        await api.call("DELETE", `/v1/agent/${code}`, { secret });
        t.equal((await fetching).status, 404, "the worker is told at once");

        const second = await order(api);
        const agent = await findAgentByCode(api.services.database, second.code);
        const waiting = { waitingSince: new Date(), status: "generating" as const };
        await updateAgent(api.services.database, agent?.id ?? "", waiting, new Date());
        const refused = await api.call("POST", "/embed/session", { bearer: second.bearer, body: {} });
        t.match(refused, { status: 409, body: { error: { code: "AGENT_NOT_READY" } } });
        release();
        await standIn.close();
      },
      { livekit, baker },
    ),
  );
});
