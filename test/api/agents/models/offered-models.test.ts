// essence-2-quality is refused if no mouth network is configured; otherwise it behaves like the other models.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { balanceOf } from "../../../../api/accounts/credits/ledger.ts";
import { smallQualityNetwork } from "../../../helpers/faces/small-quality-network.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { withApi } from "../../../helpers/service/with-api.ts";
import { type SessionStage, withSessions } from "../../../helpers/service/with-sessions.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const QUALITY = "essence-2-quality";
const GENERATE = "/v1/agent/generate";
const CREATION_MS = 300_000;

/** What callers see of the model, with an agent that was not made with it. */
async function callsWith({ api, secret, agentCode, launch }: SessionStage, model: string) {
  const call = (method: string, path: string, body?: object) => api.call(method, path, { secret, body });
  return {
    record: (await call("GET", `/v1/agent/${agentCode}`)).body.data,
    launch: await launch("room", { model }),
    embed: await call("POST", "/v1/embed-tokens/request", { agent_id: agentCode, fingerprint: "f".repeat(32), model }),
    download: await call("GET", `/v1/agent/${agentCode}/model/download?model=${model}`),
    add: await call("POST", `/v1/agent/${agentCode}/models`, { model }),
    prices: (await call("GET", "/v1/pricing")).body.data.agent_generation.by_model,
    minutes: (await call("GET", "/v2/credit-summaries")).body.data.minutes_estimate,
  };
}

t.test("without a mouth network no route accepts or lists the model", async (t) => {
  await withSessions({ credits: 1_000 }, async (stage) => {
    const { api, secret, userId } = stage;
    const calls = await callsWith(stage, QUALITY);
    const notOffered = { status: 400, body: { error: { code: "MODEL_NOT_OFFERED", message: /essence-2-quality/ } } };
    t.match(calls.launch, notOffered, "launch");
    t.match(calls.embed, notOffered, "embed token");
    t.match(calls.download, notOffered, "download");
    t.match(await api.call("POST", GENERATE, { secret, body: { model: QUALITY } }), notOffered, "creation");
    t.match(calls.add, notOffered, "adding it to an agent");
    const of = { agent_code: stage.agentCode, model: QUALITY };
    const mint = { ...of, scope: "livekit-cloud", room_name: "room", livekit_url: "wss://livekit.example" };
    t.match(await api.call("POST", "/v1/runtime-tokens/mint", { secret, body: mint }), notOffered, "a launch token");
    const film = { ...of, input: { type: "text", text: "Hi." } };
    t.match(await api.call("POST", "/v1/video/generate", { secret, body: film }), notOffered, "a talking video");
    t.notOk(calls.record.supported_models.includes(QUALITY));
    t.notOk(QUALITY in calls.prices || "essence_2_quality_cloud" in calls.minutes);
    const unknown = await api.call("POST", GENERATE, { secret, body: { model: "nonsense" } });
    t.notMatch(unknown.body.error.message, /quality/, "and the accepted names leave it out");
    t.equal((await balanceOf(api.services.database, userId)).total, 1_000, "nothing charged");
  });
});

t.test(
  "with a mouth network, agents are created with the model and launched with it if they have an image",
  async (t) => {
    const network = join(await makeDataFolder(t), "mouth.onnx");
    await writeFile(network, smallQualityNetwork(96));
    await withSessions({ credits: 1_000, environment: { AVATAR_QUALITY_NETWORK: network } }, async (stage) => {
      const { api, secret, userId } = stage;
      const calls = await callsWith(stage, QUALITY);
      t.ok(calls.record.supported_models.includes(QUALITY), "it needs an image alone");
      t.match(calls.launch, { status: 200, body: { model: QUALITY } });
      t.match(
        calls.add,
        { status: 400, body: { error: { code: "VALIDATION_ERROR" } } },
        "an agent that has an image lists it",
      );
      t.match(calls.embed, { status: 200, body: { data: { model: QUALITY } } });
      t.match([calls.prices[QUALITY], calls.minutes.essence_2_quality_cloud], [500, 125], "its price, and its minutes");
      t.match(calls.download, { status: 409, body: { error: { code: "MODEL_NOT_GENERATED" } } }, "but has no file");

      const bare = await addAgent(api.services, { userId });
      await api.services.database.updateTable("agents").set({ portrait_key: null }).where("code", "=", bare).execute();
      const { data: withoutImage } = (await api.call("GET", `/v1/agent/${bare}`, { secret })).body;
      t.notOk(withoutImage.supported_models.includes(QUALITY), "an agent without an image does not list it");

      const unknown = await api.call("POST", GENERATE, { secret, body: { model: "nonsense" } });
      t.match(unknown.body.error.message, /essence-2-quality/, "it is among the accepted names");
      const made = await api.call("POST", GENERATE, { secret, body: { model: QUALITY, prompt: "You are Nova." } });
      t.match(made, { status: 200, body: { status: "processing" } });
      t.equal((await balanceOf(api.services.database, userId)).total, 500, "it costs what its family does");
      const code: string = made.body.agent_id;
      const record = await waitFor(
        async () => {
          const { data } = (await api.call("GET", `/v1/agent/status/${code}`, { secret })).body;
          return data.status === "ready" || data.status === "failed" ? data : null;
        },
        "the agent",
        CREATION_MS,
      );
      t.match(record, { status: "ready", model: QUALITY, model_status: { [QUALITY]: { state: "ready" } } });
      const file = await api.call("GET", `/v1/agent/${code}/model/download?redirect=false`, { secret });
      t.match(file, { status: 200, body: { data: { model: QUALITY, filename: `${code}.pkl`, expires_in: 3600 } } });
      t.equal((await fetch(file.body.data.url)).status, 200);
    });
  },
);

t.test("a paused model is refused before anything is charged, whether or not it is offered", async (t) => {
  const environment = { AVATAR_QUALITY_NETWORK: "/nowhere.onnx", AVATAR_PAUSED_MODELS: QUALITY };
  await withApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ credits: 1_000 });
      const answer = await api.call("POST", GENERATE, { secret, body: { model: QUALITY } });
      t.match(answer, { status: 503, body: { error: { code: "MODEL_NOT_YET_AVAILABLE" } } });
      t.ok(Number(answer.headers.get("retry-after")) > 0);
      t.equal((await balanceOf(api.services.database, account.userId)).total, 1_000);
    },
    { environment },
  );
});
