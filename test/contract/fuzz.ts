// `npx tsx test/contract/fuzz.ts [--examples N] [-- schemathesis options]`: schemathesis against `/openapi.json` of a real api on a
// database of its own. Needs `schemathesis` on the PATH (a Python tool, from PyPI). Background work stays off: the cases order
// thousands of agents, and baking them is not what is tested here.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { addSecret, createAccount } from "../../api/accounts/account-store.ts";
import { grantCredits } from "../../api/accounts/ledger.ts";
import { type Api, createApi } from "../../api/create-api.ts";
import { createDatabase, createPool } from "../../api/database/database.ts";
import { migrate } from "../../api/database/migrate.ts";
import { answerConnectionErrors } from "../../api/http/connection-errors.ts";
import { parseConfig } from "../../shared/config.ts";
import { createLogger } from "../../shared/log.ts";
import { addAgent } from "../helpers/add-agent.ts";
import { acquireLiveKit, acquirePostgres } from "../helpers/shared-servers.ts";

/** Slower answers are a finding. Names that do not resolve and servers that do not answer are given up on within it. */
const MAX_RESPONSE_S = 6;
const DEFAULT_EXAMPLES = 50;
const CREDITS = 1_000_000_000;

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
  await migrate(createDatabase(pool));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const config = parseConfig({ PORT: String(port), AVATAR_DATA_DIR: folder, AVATAR_LOG_LEVEL: "error" });
  const api = await createApi({ config, pool, livekit: livekit.access, logger });
  server.on("request", api.app.callback());
  answerConnectionErrors(server);
  try {
    return await schemathesis(config.publicUrl, await prepare(api));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await api.close();
    await pool.end();
  }
}

/** An account that no plan limits, with a ready agent; credentials for every way to authenticate. */
async function prepare({ services }: Api): Promise<Record<string, string>> {
  const { database, tokens } = services;
  const at = new Date(services.now());
  const account = await createAccount(database, { email: "fuzz@example.test", plan: "custom", createdAt: at });
  if (!account) throw new Error("a fresh database has no accounts");
  const { userId } = account;
  const grant = { userId, pool: "plan", amountCredits: CREDITS, reason: "test", reference: "start", at } as const;
  await grantCredits(database, grant);
  const secret = await addSecret(database, { userId, alias: "fuzz", createdAt: at });
  const { id: key } = await database.selectFrom("api_secrets").select("id").executeTakeFirstOrThrow();
  const agent = await addAgent(services, { userId, code: "fuzzed" });
  const embed = { sub: userId, key, sid: randomUUID(), agent, endUserId: "fuzz", model: null };
  return {
    FUZZ_SECRET: secret,
    FUZZ_RUNTIME_TOKEN: (await tokens.runtime.mint({ sub: userId, key })).token,
    FUZZ_EMBED_TOKEN: (await tokens.embed.mint(embed)).token,
    FUZZ_USER_ID: userId,
  };
}

async function schemathesis(baseUrl: string, credentials: Record<string, string>): Promise<number> {
  const configFile = join(folder, "schemathesis.toml");
  await writeFile(
    configFile,
    [
      '[auth.openapi.apiSecret]\napi_key = "${FUZZ_SECRET}"',
      '[auth.openapi.bearer]\nbearer = "${FUZZ_RUNTIME_TOKEN}"',
      // A stranger's account is refused before anything else is looked at; with our own the rest is reached.
      '[parameters]\n"path.user_id" = "${FUZZ_USER_ID}"',
    ].join("\n\n"),
  );
  const child = spawn(
    "schemathesis",
    [
      ...["--config-file", configFile, "run", `${baseUrl}/openapi.json`],
      ...["--checks", "all", "--max-examples", values.examples, "--workers", values.workers],
      ...["--max-response-time", String(MAX_RESPONSE_S), "--request-timeout", "30", "--continue-on-failure"],
      ...positionals,
    ],
    { stdio: "inherit", env: { ...process.env, ...credentials } },
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
