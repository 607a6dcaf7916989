// `npx tsx test/contract/fuzz.ts [--examples N] [-- schemathesis options]`: runs schemathesis against `/openapi.json`
// of a real api with its own database. Needs `schemathesis` on the PATH (a Python tool, from PyPI). Background work is
// off, because the cases create thousands of agents and baking is not tested here.
import { spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { createAccount } from "../../api/accounts/account-store.ts";
import { grantCredits } from "../../api/accounts/credits/ledger.ts";
import { addSecret } from "../../api/accounts/secrets/secret-store.ts";
import { type Api, createApi } from "../../api/create-api.ts";
import { createDatabase, createPool } from "../../api/kernel/database/database.ts";
import { migrate } from "../../api/kernel/database/migrate.ts";
import { answerConnectionErrors } from "../../api/kernel/http/connection-errors.ts";
import { MIGRATIONS } from "../../api/migrations/migrations.ts";
import { parseConfig } from "../../program/config.ts";
import { createLogger } from "../../program/log.ts";
import { acquireLiveKit } from "../helpers/livekit/shared-livekit.ts";
import { acquirePostgres } from "../helpers/servers/shared-postgres.ts";
import { addAgent } from "../helpers/service/add-agent.ts";

/** Slower answers are a finding. Requests to unresolvable names and silent servers time out within this limit. */
const MAX_RESPONSE_S = 6;
const DEFAULT_EXAMPLES = 50;
/** Stands for a fresh runtime token. */
const STANDING_TOKEN = "fresh-runtime-token";
const CREDITS = 1_000_000_000;
/** Operations with rules that a schema cannot express: a public address, an image with a face, a signed token, a model
 *  that the agent has. Input that matches the schema may still be refused as bad input. */
const MEANING_BEYOND_SCHEMA = [
  "get /v1/agent/sample-{slug}/model/download",
  "get /v1/agent/{code}/face-marks",
  "get /v1/agent/{code}/model/download",
  "post /launch",
  "post /v1/agent/generate",
  "post /v1/agent/{code}",
  "post /v1/agent/{code}/models",
  "post /v1/dynamics/generate",
  "put /v1/dynamics/{agent_id}",
  "post /v1/embed-tokens/request",
  "post /v1/files/upload",
  "post /v1/runtime-tokens/mint",
  "post /v1/runtime-tokens/request",
  "post /v1/runtime/sessions",
  "post /v1/video/generate",
  "post /v1/webhooks",
  "patch /v2/organizations/{org_id}",
  "put /v2/{user_id}/session-webhook",
];
const REFUSALS = ["2xx", "3xx", 400, 401, 402, 403, 404, 409, 410, 413, 415, 422, 429, 503];

interface Credentials {
  secret: string;
  userId: string;
  /** Claims of its runtime tokens. */
  runtime: { sub: string; key: string };
}

const { values, positionals } = parseArgs({
  options: {
    examples: { type: "string", default: String(DEFAULT_EXAMPLES) },
    workers: { type: "string", default: "2" },
  },
  allowPositionals: true,
});

const postgres = await acquirePostgres();
const livekit = await acquireLiveKit();
const name = `fuzz_${randomUUID().replaceAll("-", "")}`;
const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-fuzz-"));
try {
  await execute(`create database ${name}`);
  process.exitCode = await runAgainstApi();
} finally {
  await execute(`drop database if exists ${name} with (force)`);
  await livekit.release();
  await postgres.release();
  await rm(folder, { recursive: true, force: true });
}

/** Serves an api for as long as schemathesis runs; its exit status. */
async function runAgainstApi(): Promise<number> {
  const url = new URL(postgres.access);
  url.pathname = `/${name}`;
  const logger = createLogger({ level: "error", name: "fuzz" });
  const pool = createPool({ url: url.href, logger });
  await migrate(createDatabase(pool), MIGRATIONS);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const config = parseConfig({ PORT: String(port), AVATAR_DATA_DIR: folder, AVATAR_TRUST_PROXY: "1" });
  const api = await createApi({ config, pool, livekit: livekit.access, logger });
  const answer = api.app.callback();
  const credentials = await prepare(api);
  server.on("request", async (request, response) => {
    // Runtime tokens are valid for five minutes, but a run may take hours.
    if (request.headers.authorization === `Bearer ${STANDING_TOKEN}`) {
      const { token } = await api.services.tokens.runtime.mint(credentials.runtime);
      request.headers.authorization = `Bearer ${token}`;
    }
    // Each case has its own client address: many cases have an invalid credential, and one address may fail only thirty
    // times a minute.
    request.headers["x-forwarded-for"] =
      `203.0.113.${randomInt(1, 255)}, 10.${[0, 0, 0].map(() => randomInt(256)).join(".")}`;
    answer(request, response);
  });
  answerConnectionErrors(server);
  try {
    return await schemathesis(config.http.publicUrl, credentials);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await api.close();
    await pool.end();
  }
}

/** An account without plan limits and with a ready agent, and credentials of every kind. */
async function prepare({ services }: Api): Promise<Credentials> {
  const { database } = services;
  const at = new Date(services.now());
  const account = await createAccount(database, { email: "fuzz@example.test", plan: "custom", createdAt: at });
  if (!account) throw new Error("a fresh database has no accounts");
  const { userId } = account;
  const grant = { userId, pool: "plan", amountCredits: CREDITS, reason: "test", reference: "start", at } as const;
  await grantCredits(database, grant);
  const secret = await addSecret(database, { userId, alias: "fuzz", createdAt: at });
  const { id: key } = await database.selectFrom("api_secrets").select("id").executeTakeFirstOrThrow();
  await addAgent(services, { userId, code: "fuzzed" });
  return { secret, userId, runtime: { sub: userId, key } };
}

async function schemathesis(baseUrl: string, credentials: Credentials): Promise<number> {
  const configFile = join(folder, "schemathesis.toml");
  await writeFile(
    configFile,
    [
      `[auth.openapi.apiSecret]\napi_key = "${credentials.secret}"`,
      `[auth.openapi.bearer]\nbearer = "${STANDING_TOKEN}"`,
      // Another account is refused before any other check; with our own account the other checks are reached.
      `[parameters]\n"path.user_id" = "${credentials.userId}"`,
      ...MEANING_BEYOND_SCHEMA.map((operation) => {
        const [method, path] = operation.split(" ");
        const acceptance = `checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(REFUSALS)}`;
        return `[[operations]]\ninclude-path = "${path}"\ninclude-method = "${method.toUpperCase()}"\n${acceptance}`;
      }),
    ].join("\n\n"),
  );
  const child = spawn(
    "schemathesis",
    [
      "--config-file",
      configFile,
      "run",
      `${baseUrl}/openapi.json`,
      "--checks",
      "all",
      "--max-examples",
      values.examples,
      "--workers",
      values.workers,
      "--max-response-time",
      String(MAX_RESPONSE_S),
      "--request-timeout",
      "30",
      "--continue-on-failure",
      ...positionals,
    ],
    { stdio: "inherit" },
  );
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Error("schemathesis cannot be started: is it on the PATH?", { cause })));
    child.once("close", (status) => resolve(status ?? 1));
  });
}

async function execute(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.access });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
