import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { balanceOf } from "../../api/accounts/credits/ledger.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { LAUNCH, withSessions } from "../helpers/service/with-sessions.ts";
import { expectError, type Proof, proveSection } from "./prove.ts";
import { SESSION_ERROR_ROWS } from "./rows.ts";
import { type ContractCalls, GENERATE, withContract } from "./with-contract.ts";

// Inside a test, so that it ends after everything is closed.
await t.test("errors of the session", (t) =>
  withContract((calls) =>
    proveSection(t, {
      name: "errors of the session",
      rows: SESSION_ERROR_ROWS,
      proofs: proofsOn(calls),
      routes: calls.routes,
    }),
  ),
);

function proofsOn(calls: ContractCalls): Proof[] {
  const { api, secret, userId, agentCode, stage, call, generate, balance, countOf, launchAs } = calls;
  return [
    {
      rows: ["errors/MODEL_NOT_OFFERED"],
      title: "a model that is not offered is neither generated nor launched nor replaced by another",
      async prove(t) {
        const before = [await balance(), await countOf("agents"), await countOf("avatar_sessions")];
        const refused = { status: 400, code: "MODEL_NOT_OFFERED" } as const;
        expectError(t, await generate({ model: "essence-2-quality" }), refused, "creation");
        expectError(t, await launchAs(secret, "r", { model: "essence-2-quality" }), refused, "launch");
        t.same(
          [await balance(), await countOf("agents"), await countOf("avatar_sessions")],
          before,
          "nothing happened",
        );
      },
    },
    {
      rows: ["errors/DOWNLOAD_FAILED"],
      title: "a URL without a file that can be fetched is refused",
      async prove(t) {
        const server = createServer((_request, response) => response.writeHead(404).end("gone"));
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        t.teardown(() => server.close());
        const image = `http://127.0.0.1:${(server.address() as AddressInfo).port}/face.png`;
        const failed = { status: 400, code: "DOWNLOAD_FAILED" } as const;
        const launch = (url: string) => launchAs(secret, "r", { image: url, model: "expression-1" });
        expectError(t, await launch(image), failed, "a server that says no");
        expectError(t, await launch("https://nowhere.invalid/face.png"), failed, "a name that does not exist");
      },
    },
    {
      rows: ["errors/SESSION_DURATION_LIMIT:cloud", "errors/SESSION_DURATION_LIMIT:self-hosted"],
      title: "a session ends at its maximum duration",
      async prove(t) {
        const live = await stage.goLive("day-long");
        await age(api, live.id, 24 * 3600);
        const heartbeat = { seq: 1, served_seconds: 3 };
        const cloud = await api.call("POST", `/v1/runtime/sessions/${live.id}/beat`, {
          bearer: live.token,
          body: heartbeat,
        });
        t.match(cloud, { status: 200, body: { ok: false, stop: { reason: "duration_limit" } } });
        const note = /^SESSION_DURATION_LIMIT: .* 24 hours/;
        t.match((await call("GET", `/v1/runtime-sessions/${live.id}`)).body, { status: "ended", note });

        const bearer = (await call("POST", LAUNCH, {})).body.data.token;
        const runtime = (path: string, body: object) =>
          api.call("POST", `/v1/runtime/sessions${path}`, { bearer, body });
        const { session_id: id } = (await runtime("", { agent_code: agentCode, model: "essence-2" })).body;
        await age(api, id, 7 * 24 * 3600 - 60);
        t.equal((await runtime(`/${id}/beat`, heartbeat)).status, 200, "a minute before the end of the week");
        await age(api, id, 7 * 24 * 3600);
        const over = await runtime(`/${id}/beat`, { seq: 2, served_seconds: 3 });
        expectError(t, over, { status: 403, code: "SESSION_DURATION_LIMIT" }, "after it");
      },
    },
    {
      rows: ["errors/NOT_FOUND:room"],
      title: "speech and context need a live room",
      async prove(t) {
        const code = await addAgent(api.services, { userId });
        const message = new RegExp(`^No active rooms found for agent ${code}`);
        const missing = { status: 404, code: "NOT_FOUND", message } as const;
        expectError(t, await call("POST", `/v1/agent/${code}/speak`, { message: "x" }), missing, "speak");
        expectError(t, await call("POST", `/v1/agent/${code}/add-context`, { context: "x" }), missing, "add-context");
      },
    },
    {
      rows: ["errors/MODEL_NOT_GENERATED"],
      title: "a model that an agent lacks is named with the call that adds it and its price",
      async prove(t) {
        const credits = await balance();
        const message = new RegExp(
          `${agentCode}.*expression-2.*hasn't been generated yet.*/v1/agent/${agentCode}/models.*2000`,
        );
        const lacking = { status: 409, code: "MODEL_NOT_GENERATED", message } as const;
        expectError(t, await launchAs(secret, "r", { model: "expression-2" }), lacking, "launch");
        const download = await call("GET", `/v1/agent/${agentCode}/model/download?model=expression-2`);
        expectError(t, download, lacking, "download");
        const embed = { agent_id: agentCode, fingerprint: "f00d", model: "expression-2" };
        expectError(t, await call("POST", "/v1/embed-tokens/request", embed), lacking, "embed token");
        t.equal(await balance(), credits, "nothing charged");
      },
    },
    {
      rows: ["errors/SERVICE_UNAVAILABLE:livekit"],
      title: "without its LiveKit server the service refuses launches with 503",
      async prove(t) {
        await withApi(async (alone) => {
          const { account, secret: own } = await alone.addAccount({ credits: 10 });
          const { livekit, database } = alone.services;
          const body = {
            mode: "gpu",
            room_name: "r",
            livekit_url: livekit.url,
            agent_id: await addAgent(alone.services, { userId: account.userId }),
            livekit_token: await livekit.mintJoinToken({ identity: "avatar", roomName: "r", ttlSeconds: 60 }),
          };
          const answer = await alone.call("POST", LAUNCH, { secret: own, body });
          expectError(t, answer, { status: 503, code: "SERVICE_UNAVAILABLE", retryAfter: true }, "launch");
          t.equal((await balanceOf(database, account.userId)).total, 10, "nothing charged");
        });
      },
    },
    {
      rows: ["errors/SERVICE_UNAVAILABLE:capacity"],
      title: "a launch without a free worker is refused and takes no slot",
      async prove(t) {
        await withSessions({ hasWorker: false, policies: { acceptance: { timeoutMs: 300 } } }, async ({ launch }) => {
          expectError(
            t,
            await launch("r"),
            { status: 503, code: "SERVICE_UNAVAILABLE", message: /free slot/, retryAfter: true },
            "launch",
          );
        });
      },
    },
    {
      rows: ["errors/SERVICE_UNAVAILABLE:tier"],
      title: "a model that pins a tier waits for a worker that has it",
      async prove(t) {
        for (const tier of ["gpu", "ane"]) {
          const message = /essence-2/;
          const refused = { status: 503, code: "SERVICE_UNAVAILABLE", message, retryAfter: true } as const;
          expectError(t, await launchAs(secret, tier, { model: `essence-2-${tier}` }), refused, tier);
        }
      },
    },
    {
      rows: ["errors/MODEL_NOT_YET_AVAILABLE"],
      title: "with a paused model nothing new is started or billed",
      async prove(t) {
        await withSessions({ environment: { AVATAR_PAUSED_MODELS: "essence-2" } }, async ({ api, launch, secret }) => {
          const paused = { status: 503, code: "MODEL_NOT_YET_AVAILABLE", retryAfter: true } as const;
          expectError(t, await launch("r"), paused, "launch");
          for (const model of ["essence-2", "auto"]) {
            const creation = await api.call("POST", GENERATE, { secret, body: { model, prompt: "You are Nova." } });
            expectError(t, creation, paused, `creation, ${model}`);
          }
          t.equal((await launch("r", { model: "expression-1" })).status, 200, "others start");
          t.equal((await api.call("GET", "/v2/credit-summaries", { secret })).body.data.balance, 100);
        });
      },
    },
  ];
}

/** Moves the start of a session into the past. */
async function age(api: TestApi, id: string, seconds: number): Promise<void> {
  const begun = new Date(Date.now() - seconds * 1000);
  await api.services.database
    .updateTable("avatar_sessions")
    .set({ created_at: begun, live_at: begun })
    .where("id", "=", id)
    .execute();
}
