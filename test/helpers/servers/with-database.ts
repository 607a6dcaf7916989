// A fresh, migrated PostgreSQL database for the length of a callback.
import { createHash, randomUUID } from "node:crypto";
import pg from "pg";
import t from "tap";
import { createDatabase, createPool, type Database } from "../../../api/kernel/database/database.ts";
import { migrate } from "../../../api/kernel/database/migrate.ts";
import { MIGRATIONS } from "../../../api/migrations/migrations.ts";
import { createLogger } from "../../../program/log.ts";
import { acquirePostgres } from "./shared-postgres.ts";

export interface TestDatabase {
  /** `postgres://…` of this database alone. */
  url: string;
  /** Connections to it, for code that needs `pg` itself; closed by the helper. */
  pool: pg.Pool;
  /** Typed query builder on that pool. */
  database: Database;
}

/** Any constant works, as long as all test processes agree on it. */
const TEMPLATE_LOCK = 7_025_002;

let server: Promise<string> | null = null;

/** Gives `work` a database of its own, cloned from a template that holds every migration, and drops it afterwards. Real
 *  PostgreSQL; about 50 ms. Returns what `work` returns, throws what it throws. */
export async function withDatabase<T>(work: (test: TestDatabase) => Promise<T>): Promise<T> {
  const serverUrl = await useServer();
  const template = await ensureTemplate(serverUrl);
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await execute(serverUrl, `create database ${name} template ${template}`);
  const url = toDatabaseUrl(serverUrl, name);
  const { pool, database } = open(url);
  try {
    return await work({ url, pool, database });
  } finally {
    await database.destroy();
    await execute(serverUrl, `drop database ${name} with (force)`);
  }
}

/** The shared server, from the first call to the end of the process. */
function useServer(): Promise<string> {
  server ??= acquirePostgres().then(({ access, release }) => {
    t.teardown(release);
    return access;
  });
  return server;
}

/** Creates the template once per set of migrations; concurrent processes wait for the first one. */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const text = MIGRATIONS.map((migration) => `${migration.name}\n${migration.up.toString()}`).join("\n");
  const name = `template_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    const found = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (found.rowCount === 0) {
      // Migrated under another name first, so that a killed run leaves no incomplete template.
      await client.query(`drop database if exists ${name}_new with (force)`);
      await client.query(`create database ${name}_new`);
      const { database } = open(toDatabaseUrl(serverUrl, `${name}_new`));
      try {
        await migrate(database, MIGRATIONS);
      } finally {
        await database.destroy();
      }
      await client.query(`alter database ${name}_new rename to ${name}`);
    }
  } finally {
    await client.end();
  }
  return name;
}

function open(url: string): { pool: pg.Pool; database: Database } {
  const pool = createPool({ url, logger: createLogger({ level: "silent", name: "test" }) });
  return { pool, database: createDatabase(pool) };
}

async function execute(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function toDatabaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
