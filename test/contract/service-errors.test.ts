import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import pg from "pg";
import t from "tap";
import { balanceOf } from "../../api/accounts/credits/ledger.ts";
import { isForRelay } from "../../api/forward-to-relay.ts";
import { withApi, withIdleApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";
import { knowledgeErrors } from "./knowledge-errors.ts";
import { expectError, type Proof, proveSection } from "./prove.ts";
import { KB_REBUILD, SERVICE_ERROR_ROWS } from "./rows.ts";
import { type ContractCalls, GENERATE, withContract } from "./with-contract.ts";

// Inside a test, so that it ends after everything is closed.
await t.test("errors of the service", (t) =>
  withContract((calls) =>
    proveSection(t, {
      name: "errors of the service",
      rows: SERVICE_ERROR_ROWS,
      proofs: proofsOn(calls),
      routes: calls.routes,
    }),
  ),
);

function proofsOn(calls: ContractCalls): Proof[] {
  const { api, secret, agentCode, call, generate } = calls;
  return [
    {
      rows: ["errors/MISSING_PARAM:required"],
      title: "a missing required parameter is named",
      async prove(t) {
        const missing = { status: 400, code: "MISSING_PARAM", message: /message/ } as const;
        expectError(t, await call("POST", `/v1/agent/${agentCode}/speak`, {}), missing, "speak without a message");
        const scope = { agent_code: agentCode, scope: "livekit-cloud" };
        const mint = await call("POST", "/v1/runtime-tokens/mint", scope);
        expectError(t, mint, { ...missing, message: /room_name/ }, "a scoped token without its room");
      },
    },
    {
      rows: ["errors/MISSING_PARAM:update"],
      title: "an update without a change is refused",
      async prove(t) {
        expectError(
          t,
          await call("POST", `/v1/agent/${agentCode}`, {}),
          { status: 400, code: "MISSING_PARAM" },
          "update",
        );
      },
    },
    {
      rows: ["errors/VOICE_NOT_FOUND"],
      title: "a designed voice that does not exist is not found",
      async prove(t) {
        for (const voice_code of [crypto.randomUUID(), "bv1_revoked"]) {
          const answer = await call("POST", "/v1/tts", { text: "Hello.", voice_code });
          expectError(t, answer, { status: 404, code: "VOICE_NOT_FOUND" }, voice_code);
        }
      },
    },
    {
      rows: ["errors/UPSTREAM_UNAVAILABLE", "errors/UPSTREAM_TIMEOUT"],
      title: "a voice server that is away, and one that does not answer",
      async prove(t) {
        const silent = createServer();
        await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
        const { port } = silent.address() as AddressInfo;
        const speakWith = (url: string) =>
          withIdleApi(
            async (other) => {
              const { secret } = await other.addAccount();
              return other.call("POST", "/v1/tts", { secret, body: { text: "Hello." } });
            },
            { environment: { AVATAR_VOICE: "remote", AVATAR_VOICE_URL: url, AVATAR_VOICE_TIMEOUT_SECONDS: "1" } },
          );
        const away = { status: 502, code: "UPSTREAM_UNAVAILABLE" } as const;
        expectError(t, await speakWith("http://127.0.0.1:9/v1"), away, "no server");
        const late = { status: 504, code: "UPSTREAM_TIMEOUT" } as const;
        expectError(t, await speakWith(`http://127.0.0.1:${port}/v1`), late, "no answer");
        silent.closeAllConnections();
        await new Promise((resolve) => silent.close(resolve));
      },
    },
    {
      rows: ["errors/VALIDATION_ERROR:body"],
      title: "a body that does not match its route is refused",
      async prove(t) {
        const invalid = { status: 400, code: "VALIDATION_ERROR" } as const;
        for (const body of ['{"prompt":', "[]", "7", "null"]) {
          const headers = { "content-type": "application/json" };
          expectError(t, await api.call("POST", GENERATE, { secret, body, headers }), invalid, body);
        }
        for (const type of ["text/plain", "application/x-www-form-urlencoded", "text/xml"]) {
          const post = (body: string) =>
            api.call("POST", `/v1/agent/${agentCode}`, { secret, body, headers: { "content-type": type } });
          t.match(await post('{"system_prompt":"You are Nova."}'), { status: 200 }, `JSON as ${type}`);
          expectError(t, await post("<a/>"), invalid, `no JSON, as ${type}`);
        }
        expectError(
          t,
          await generate({ aspect_ratio: "4:3", model: "essence-2" }),
          invalid,
          "a value outside its list",
        );
        expectError(t, await call("GET", "/v1/agents?limit=0"), invalid, "a query outside its range");
        const names = { ...invalid, message: /neutral, happy, sad, angry, surprised, afraid, disgusted, content/ };
        const mad = await call("POST", `/v1/agent/${agentCode}/speak`, { message: "x", emotion: "mad" });
        expectError(t, mad, names, "an unknown expression");
        const context = { context: "x", type: "shout" };
        const shout = await call("POST", `/v1/agent/${agentCode}/add-context`, context);
        expectError(t, shout, { ...invalid, status: 422 }, "a context of no known type");
      },
    },
    {
      rows: ["errors/NOT_FOUND:path"],
      title: "a path that does not exist answers in the envelope, too",
      async prove(t) {
        expectError(t, await call("GET", "/v1/nothing"), { status: 404, code: "NOT_FOUND" }, "a path");
        const patch = await call("PATCH", `/v1/agent/${agentCode}`, {});
        expectError(t, patch, { status: 404, code: "NOT_FOUND" }, "PATCH of an agent");
      },
    },
    {
      rows: ["errors/ENDPOINT_RETIRED"],
      title: "a removed endpoint names its replacement",
      async prove(t) {
        const answer = await call("POST", "/v1/realtime/ephemeral-token", {});
        expectError(t, answer, { status: 410, code: "ENDPOINT_RETIRED", message: /\/v1\/\S+/ }, "ephemeral token");
        for (const [path] of (answer.body as { error: { message: string } }).error.message.matchAll(/\/v1\/[\w/-]+/g)) {
          const exists = isForRelay(path) || (await call("POST", path, {})).status !== 404;
          t.ok(exists, `${path}, which the text names, exists`);
        }
      },
    },
    {
      rows: ["errors/INTERNAL_ERROR", "errors/UPSTREAM_ERROR", "errors/SERVICE_UNAVAILABLE:database"],
      title: "a failing, a busy and an unreachable database give three answers, and none reveals internals",
      prove: (t) => breakDatabase(t),
    },
    ...(calls.routes.has(KB_REBUILD) ? knowledgeErrors(api) : []),
  ];
}

/** Puts a database into three failure states, one after the other, and restores it. */
async function breakDatabase(t: Parameters<Proof["prove"]>[0]): Promise<void> {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 10 });
    const { database } = api.services;
    const read = () => api.call("GET", "/v1/agents", { secret });
    const name = sql.ref(
      (await sql<{ name: string }>`select current_database() as name`.execute(database)).rows[0].name,
    );

    await sql`alter table agents rename to agents_elsewhere`.execute(database);
    const broken = await read();
    expectError(t, broken, { status: 500, code: "INTERNAL_ERROR", message: /request id/ }, "a query that cannot work");
    t.notMatch(JSON.stringify(broken.body), /agents_elsewhere|relation|select/i, "nothing of the query is told");
    await sql`alter table agents_elsewhere rename to agents`.execute(database);

    await sql`alter database ${name} set lock_timeout = '150ms'`.execute(database);
    const others = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
    await database.connection().execute(async (connection) => {
      await others.execute(connection); // New connections inherit the setting.
      await waitFor(async () => (await read()).status === 200, "the api to connect again");
      await sql`begin`.execute(connection);
      await sql`lock table agents in access exclusive mode`.execute(connection);
      expectError(t, await read(), { status: 500, code: "UPSTREAM_ERROR" }, "a query that was unlucky");
      await sql`rollback`.execute(connection);
    });
    t.equal((await read()).status, 200, "a retry works");
    t.equal((await balanceOf(database, account.userId)).total, 10, "nothing changed");

    const url = new URL(api.services.pool.options.connectionString ?? "");
    const outside = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: "/postgres" }).href });
    await outside.connect();
    const databaseName = pg.escapeIdentifier(url.pathname.slice(1));
    await outside.query(`alter database ${databaseName} allow_connections false`);
    await outside.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
      url.pathname.slice(1),
    ]);
    const away = { status: 503, code: "SERVICE_UNAVAILABLE", retryAfter: true } as const;
    expectError(t, await read(), away, "a database that takes no connections");
    await outside.query(`alter database ${databaseName} allow_connections true`);
    await outside.end();
    await waitFor(async () => (await read()).status === 200, "the api to recover by itself");
  });
}
