// Proofs of the contract's rules for credentials and tokens.
import { decodeJwt, decodeProtectedHeader } from "jose";
import type { Test } from "tap";
import { revokeSecret } from "../../api/accounts/secrets/secret-store.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { LAUNCH } from "../helpers/service/with-sessions.ts";
import { expectError, type Proof } from "./prove.ts";
import { type ContractCalls, GENERATE } from "./with-contract.ts";

const MINT = "/v1/runtime-tokens/mint";
const EMBED = "/v1/embed-tokens/request";
const MISSING_AUTH = { status: 401, code: "MISSING_AUTH" } as const;
const UNAUTHORIZED = { status: 401, code: "UNAUTHORIZED" } as const;
const HOUR_S = 3_600;

export function authenticationProofs(calls: ContractCalls): Proof[] {
  const { api, stage, secret, userId, agentCode, call, balance, launchAs } = calls;
  const secretsPath = `/v2/${userId}/api-secrets`;
  const issue = async (alias: string): Promise<string> => (await call("POST", secretsPath, { alias })).body.secret;
  const opens = async (as: string) => (await api.call("GET", "/v1/agents", { secret: as })).status === 200;
  const scopeOf = async (roomName: string) => ({
    agent_code: agentCode,
    scope: "livekit-cloud",
    room_name: roomName,
    livekit_url: stage.livekit.url,
  });

  return [
    {
      rows: ["authentication/validate-never-refuses"],
      title: "validate answers 200 for every credential",
      async prove(t) {
        const shown = [{ secret }, {}, { secret: "wrong" }, { bearer: secret }, { secret: "x".repeat(5_000) }];
        for (const [index, credential] of shown.entries()) {
          const answer = await api.call("POST", "/v1/validate", credential);
          t.equal(answer.status, 200);
          t.same(answer.body, { valid: index === 0 });
          t.notOk(answer.headers.has("x-ratelimit-limit"), "it is not metered");
        }
      },
    },
    {
      rows: ["authentication/path-before-secret", "authentication/secret-before-body"],
      title: "a request is checked in order: path, secret, body",
      async prove(t) {
        expectError(t, await api.call("GET", "/v1/nothing"), { status: 404, code: "NOT_FOUND" }, "no such path");
        const headers = { "content-type": "application/json" };
        expectError(t, await api.call("POST", GENERATE, { body: "{", headers }), MISSING_AUTH, "no secret, no JSON");
        const wrong = await api.call("POST", GENERATE, { secret: "wrong", body: "{", headers });
        expectError(t, wrong, UNAUTHORIZED, "a wrong secret, no JSON");
        const gone = await api.call("GET", "/v1/agent/NOBODY", { secret: "wrong" });
        expectError(t, gone, UNAUTHORIZED, "nor is it told what exists");
      },
    },
    {
      rows: ["authentication/new-secret", "authentication/rotation"],
      title: "a new secret is shown once and works, and the revoked one stops at once",
      async prove(t) {
        const [old, fresh] = [await issue("old"), await issue("fresh")];
        t.equal(fresh.length, 65);
        t.ok((await opens(old)) && (await opens(fresh)), "both work while services move");
        const listed = await call("GET", secretsPath);
        t.notMatch(JSON.stringify(listed.body), fresh);
        const named = listed.body.data.find(({ alias }: { alias: string }) => alias === "fresh");
        t.match(named, { name: "fresh", key: "fresh", key_display: new RegExp(`^\\*+${fresh.slice(-4)}$`) });
        t.equal((await api.call("DELETE", `${secretsPath}/old`, { secret: fresh })).status, 200);
        expectError(t, await api.call("GET", "/v1/agents", { secret: old }), UNAUTHORIZED, "the old one");
        t.ok(await opens(fresh));
      },
    },
    {
      rows: ["authentication/device-secret"],
      title: "the secret of one machine can be revoked without affecting the others",
      async prove(t) {
        const [desk, laptop] = [await issue("cli@desk"), await issue("cli@laptop.local")];
        t.match(await call("DELETE", `${secretsPath}/${encodeURIComponent("cli@desk")}`), { status: 200 });
        t.notOk(await opens(desk));
        t.ok(await opens(laptop));
      },
    },
    {
      rows: ["authentication/revoked-session"],
      title: "sessions of a revoked secret stop at their next report",
      async prove(t) {
        const { account, secret: own } = await api.addAccount({ credits: 100 });
        const bearer = (await api.call("POST", LAUNCH, { secret: own })).body.data.token;
        const runtime = (path: string, body: object) =>
          api.call("POST", `/v1/runtime/sessions${path}`, { bearer, body });
        const { session_id: id } = (await runtime("", { model: "essence-2" })).body;
        t.match(await runtime(`/${id}/beat`, { seq: 1, served_seconds: 1 }), { status: 200, body: { ok: true } });
        const live = await stage.goLive("revoked");
        const heartbeatOf = (seq: number) => ({ bearer: live.token, body: { seq, served_seconds: seq } });
        const heartbeat = (seq: number) => api.call("POST", `/v1/runtime/sessions/${live.id}/beat`, heartbeatOf(seq));
        t.match(await heartbeat(1), { status: 200, body: { ok: true } }, "another account's goes on");
        await revokeSecret(api.services.database, account.userId, "test", new Date());
        const refused = await runtime(`/${id}/beat`, { seq: 2, served_seconds: 2 });
        expectError(t, refused, { status: 403, code: "RUNTIME_SUSPENDED" }, "a runtime of the caller's own");
        t.match(await heartbeat(2), { status: 200, body: { ok: true } }, "still");
      },
    },
    {
      rows: ["authentication/runtime-token", "authentication/runtime-token-endpoints", "authentication/exchange-free"],
      title: "a runtime token names the paying account and its expiry, and is accepted only on runtime routes",
      async prove(t) {
        const credits = await balance();
        const { body } = await call("POST", LAUNCH, { agent_code: agentCode, fingerprint: "f".repeat(32) });
        t.match(body, {
          status: "success",
          status_code: 200,
          data: { token: String, transaction_id: /^[\da-f-]{36}$/ },
        });
        const { token, expires_at: expiresAt } = body.data;
        t.equal(decodeProtectedHeader(token).alg, "HS256");
        const claims = decodeJwt(token);
        t.match(claims, { sub: userId, aud: "service-runtime", iss: String, exp: expiresAt });
        t.ok(Math.abs(expiresAt - Date.now() / 1000 - 300) < 30, "about five minutes");
        t.notMatch(JSON.stringify(claims), agentCode, "no agent in it");
        for (const [method, path] of [
          ["POST", LAUNCH],
          ["POST", MINT],
          ["POST", EMBED],
          ["GET", "/v1/agents"],
          ["POST", GENERATE],
          ["GET", "/v1/me"],
        ]) {
          const json = method === "POST" ? {} : undefined;
          const bearer = await api.call(method, path, { bearer: token, body: json });
          expectError(t, bearer, MISSING_AUTH, `${path} as Bearer`);
          // A launch accepts minted tokens in the header and distinguishes their kinds.
          const asSecret = await api.call(method, path, { secret: token, body: json });
          expectError(t, asSecret, UNAUTHORIZED, `${path} as secret`);
          await api.services.pool.query("delete from rate_buckets where key like 'failed-auth:%'");
        }
        t.equal(await balance(), credits);
      },
    },
    {
      rows: ["authentication/minted-hour", "authentication/minted-scope"],
      title: "a scoped token lasts an hour, and starts one agent in one room once",
      async prove(t) {
        const { body } = await call("POST", MINT, await scopeOf("scoped"));
        t.same(Object.keys(body).sort(), ["expires_at", "scoped_token"]);
        isInAnHour(t, body.expires_at);
        const token: string = body.scoped_token;
        isInAnHour(t, decodeJwt(token).exp);
        const embed = await call("POST", EMBED, { agent_id: agentCode, fingerprint: "f00d" });
        isInAnHour(t, decodeJwt(embed.body.data.token).exp);

        const forbidden = { status: 403, code: "FORBIDDEN" } as const;
        const other = await addAgent(api.services, { userId });
        expectError(t, await launchAs(token, "scoped", { agent_id: other }), forbidden, "another agent");
        expectError(t, await launchAs(token, "elsewhere"), forbidden, "another room");
        const away = { livekit_url: "wss://other.example" };
        expectError(t, await launchAs(token, "scoped", away), forbidden, "another server");
        expectError(t, await api.call("POST", LAUNCH, { secret: token }), forbidden, "no exchange");
        expectError(t, await api.call("GET", "/v1/agents", { secret: token }), UNAUTHORIZED, "no REST");
        const first = await launchAs(token, "scoped");
        t.equal(first.status, 200, JSON.stringify(first.body));
        t.equal((await call("POST", `/v1/runtime-sessions/${first.body.session_id}/end`)).status, 200);
        expectError(t, await launchAs(token, "scoped"), forbidden, "a second session");
      },
    },
    {
      rows: ["authentication/self-hosted-download"],
      title: "the secret as Bearer opens only the self-hosted download",
      async prove(t) {
        const path = `/v1/agent/${agentCode}`;
        const bearer = await issue("container");
        t.match(await api.call("GET", `${path}/self-hosted-avatar`, { bearer }), { status: 200 });
        expectError(t, await api.call("GET", path, { bearer }), MISSING_AUTH, "no other route");
        expectError(t, await api.call("GET", `${path}/model/download`, { bearer }), UNAUTHORIZED, "no other download");
        t.same((await api.call("POST", "/v1/validate", { bearer })).body, { valid: false });
      },
    },
    {
      rows: ["authentication/minted-download"],
      title: "a token without scope gives access only to one agent's file",
      async prove(t) {
        const { body } = await call("POST", MINT, { agent_code: agentCode });
        t.match(body, { token: String, agent_code: agentCode, scope: null });
        isInAnHour(t, body.expires_at);
        const bearer: string = body.token;
        const path = `/v1/agent/${agentCode}/model/download`;
        t.equal((await api.call("GET", path, { bearer })).status, 302);
        expectError(t, await api.call("GET", `/v1/agent/${agentCode}`, { bearer }), MISSING_AUTH, "no other route");
        const other = await addAgent(api.services, { userId });
        const foreign = await api.call("GET", `/v1/agent/${other}/model/download`, { bearer });
        expectError(t, foreign, { status: 403, code: "FORBIDDEN" }, "no other agent");
      },
    },
  ];
}

function isInAnHour(t: Test, unixS: number | undefined): void {
  t.ok(Math.abs((unixS ?? 0) - Date.now() / 1000 - HOUR_S) < 60, "an hour from now");
}
