// Proofs of the contract's rules for the shape of requests and answers.
import { withApi } from "../helpers/service/with-api.ts";
import { LAUNCH } from "../helpers/service/with-sessions.ts";
import type { Proof } from "./prove.ts";
import { type ContractCalls, GENERATE } from "./with-contract.ts";

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NOTICE_DAYS = 90;

export function conventionProofs(calls: ContractCalls): Proof[] {
  const { api, secret, userId, agentCode, call, generate } = calls;
  const agentPath = `/v1/agent/${agentCode}`;

  return [
    {
      rows: ["conventions/envelope-success-data"],
      title: "most reads answer {success, data}",
      async prove(t) {
        const paths = [
          `/v1/agent/status/${agentCode}`,
          agentPath,
          "/v1/agents",
          "/v1/webhooks",
          "/v1/usage",
          "/v1/pricing",
          "/v2/credit-summaries",
          `/v2/${userId}/runtime-sessions`,
          `${agentPath}/model/download?redirect=false`,
        ];
        for (const path of paths) {
          const { status, body } = await call("GET", path);
          t.equal(status, 200, path);
          t.match(Object.keys(body).sort(), ["data", ...("pagination" in body ? ["pagination"] : []), "success"], path);
          t.equal(body.success, true, path);
        }
      },
    },
    {
      rows: ["conventions/envelope-status-data"],
      title: "profile and tokens answer {status, status_code, data}",
      async prove(t) {
        const answers = [
          await call("GET", "/v1/me"),
          await call("POST", LAUNCH),
          await call("POST", "/v1/embed-tokens/request", { agent_id: agentCode, fingerprint: "f00d" }),
        ];
        for (const { status, body } of answers) {
          t.equal(status, 200);
          t.same(Object.keys(body).sort(), ["data", "status", "status_code"]);
          t.match(body, { status: "success", status_code: 200, data: Object });
        }
      },
    },
    {
      rows: ["conventions/envelope-bare"],
      title: "the other routes answer bare objects",
      async prove(t) {
        const answers: [path: string, body: object | undefined, fields: string[]][] = [
          [`POST ${agentPath}`, { system_prompt: "You are new." }, ["agent_code", "updated"]],
          [`GET ${agentPath}/sessions`, undefined, ["agent_code", "sessions"]],
          [`GET /v2/${userId}/api-secrets`, undefined, ["data", "total_count", "user_id"]],
          [`POST /v2/${userId}/api-secrets`, { alias: "bare" }, ["alias", "secret"]],
          [`DELETE /v2/${userId}/api-secrets/bare`, undefined, ["alias", "message"]],
          [`GET /v2/users/${userId}/organizations`, undefined, ["organizations", "user_id"]],
          ["GET /v1/models/showcase", undefined, ["models", "updated", "version"]],
          ["POST /v1/validate", undefined, ["valid"]],
          ["GET /readyz", undefined, ["checks", "families", "replica_scope", "status", "window_seconds"]],
        ];
        for (const [line, body, fields] of answers) {
          const [method, path] = line.split(" ");
          const answer = await call(method, path, body);
          t.equal(answer.status, 200, line);
          t.same(Object.keys(answer.body).sort(), fields, line);
        }
      },
    },
    {
      rows: ["conventions/pagination"],
      title: "every page of a list states its position in the list",
      async prove(t) {
        const { account, secret: own } = await api.addAccount({ credits: 2_000 });
        for (const code of ["first-1", "second-2", "third-3"]) {
          await generate({ agent_id: code, model: "expression-1", prompt: "You are Otto." }, own);
        }
        const page = async (path: string) => (await api.call("GET", path, { secret: own })).body;
        for (const list of ["/v1/agents", "/v1/usage"]) {
          const whole = await page(list);
          t.match(whole.pagination, { offset: 0, total: 3, has_more: false }, list);
          t.equal(whole.pagination.limit, list === "/v1/agents" ? 20 : 50, `${list}: the contract's default`);
          const middle = await page(`${list}?limit=1&offset=1`);
          t.same(middle.pagination, { limit: 1, offset: 1, total: 3, has_more: true }, list);
          t.same(middle.data, [whole.data[1]], list);
          t.same((await page(`${list}?limit=2&offset=2`)).pagination.has_more, false);
          t.match(await page(`${list}?offset=9`), { data: [], pagination: { total: 3, has_more: false } });
          for (const wrong of ["limit=0", "limit=201", "limit=x", "offset=-1", "limit=1&limit=2"]) {
            const answer = await api.call("GET", `${list}?${wrong}`, { secret: own });
            t.match(answer, { status: 400, body: { error: { code: "VALIDATION_ERROR" } } }, `${list}?${wrong}`);
          }
        }
        const codes = (await page("/v1/agents")).data.map(({ code }: { code: string }) => code);
        t.same(codes, ["third-3", "second-2", "first-1"], "newest first");
        t.equal(account.plan, "pro");
      },
    },
    {
      rows: ["conventions/unknown-fields", "conventions/null-is-absent", "conventions/agent-code"],
      title: "unknown fields are ignored, and null means absent",
      async prove(t) {
        const nothing = { image: null, audio: null, video: null, agent_id: null, aspect_ratio: null, version: null };
        const made = await generate({
          prompt: "You are Otto.",
          model: "expression-1",
          duration: 7,
          video_aspect_ratio: "2:1",
          colour: "red",
          ...nothing,
        });
        t.match(made, { status: 200, body: { success: true, message: String, status: "processing" } });
        t.match(made.body.agent_id, /^[A-Z]\d{2}[A-Z]{3}\d{4}$/);
        t.notOk("warnings" in made.body);
        const update = { system_prompt: "You are someone else.", kb_ids: null, colour: "blue" };
        t.match(await call("POST", agentPath, update), { status: 200, body: { updated: true } });
        t.equal((await call("GET", "/v2/credit-summaries?app=x&app_key=y&z=1")).status, 200);
      },
    },
    {
      rows: ["conventions/timestamps"],
      title: "every route reads times in the same way",
      async prove(t) {
        const record = (await call("GET", agentPath)).body.data;
        t.match(record, { created_at: ISO_UTC, updated_at: ISO_UTC });
        const hook = await call("POST", "/v1/webhooks", { url: "https://hooks.invalid/x" });
        t.match(hook.body.data, { created_at: ISO_UTC, updated_at: ISO_UTC });
        await call("DELETE", `/v1/webhooks/${hook.body.data.id}`);
        const usage = (await call("GET", "/v1/usage")).body.data;
        t.match(usage[0], { start_time: ISO_UTC, created_at: ISO_UTC });
        const { expires_at: expiresAt } = (await call("POST", LAUNCH)).body.data;
        t.ok(Number.isInteger(expiresAt) && expiresAt < 10_000_000_000, "Unix seconds");
      },
    },
    {
      rows: ["conventions/download-json"],
      title: "a download redirects to the file or returns its URL",
      async prove(t) {
        const path = `${agentPath}/model/download`;
        for (const query of ["", "?redirect=true", "?redirect=1"]) {
          const answer = await call("GET", path + query);
          t.equal(answer.status, 302, query);
          t.equal((await fetch(answer.headers.get("location") ?? "")).status, 200, "the place needs no credential");
        }
        for (const word of ["false", "0", "no", "False", "NO"]) {
          const { status, body } = await call("GET", `${path}?redirect=${word}`);
          t.equal(status, 200, word);
          const data = { code: agentCode, model: "essence-2", filename: `${agentCode}.imx`, expires_in: 3600 };
          t.match(body, { success: true, data: { ...data, url: /^http/ } }, word);
        }
        const tier = await call("GET", `${path}?redirect=no&model=essence-2-gpu`);
        t.equal(tier.body.data.model, "essence-2", "a tier's slug means its family");
        const head = await api.call("HEAD", path, { secret });
        t.equal(head.status, 302);
      },
    },
    {
      rows: ["conventions/deprecation-headers"],
      title: "a request that will be refused from a known date has headers with that date",
      async prove(t) {
        const day = Date.parse("2026-12-26T00:00:00Z");
        await withApi(
          async (early) => {
            const { secret: own } = await early.addAccount({ credits: 5_000 });
            const create = (body: object) => early.call("POST", GENERATE, { secret: own, body });
            const omitted = await create({ prompt: "You are Otto." });
            const versioned = await create({ prompt: "You are Otto.", model: "essence", version: "v2" });
            for (const { headers, status } of [omitted, versioned]) {
              t.equal(status, 200);
              t.equal(Date.parse(headers.get("sunset") ?? ""), day);
              const announcedS = Number(/^@(\d+)$/.exec(headers.get("deprecation") ?? "")?.[1]);
              t.ok(day / 1000 - announcedS >= NOTICE_DAYS * 86_400, "at least 90 days");
            }
            const named = await create({ prompt: "You are Otto.", model: "expression-1" });
            t.notOk(named.headers.has("sunset") || named.headers.has("deprecation"));
          },
          { environment: { AVATAR_NOW: "2026-12-25T12:00:00Z" } },
        );
      },
    },
  ];
}
