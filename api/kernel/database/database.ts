// Opens the database: a pool of connections behind a typed query builder.
import { Kysely, PostgresDialect, type Transaction } from "kysely";
import pg from "pg";
import type { Logger } from "../../../shared/log.ts";
import type { AccountTables } from "../../accounts/account-tables.ts";
import type { AgentTables } from "../../agents/agent-tables.ts";
import type { UploadTables } from "../../files/upload-tables.ts";
import type { KnowledgeTables } from "../../knowledge/knowledge-tables.ts";
import type { OrganizationTables } from "../../organizations/organization-tables.ts";
import type { AvatarSessionTables } from "../../sessions/avatar-session-tables.ts";
import type { WebhookTables } from "../../webhooks/webhook-tables.ts";
import type { LimitTables } from "../limits/limit-tables.ts";
import { preparePool } from "./prepared-pool.ts";

/** Every table, composed of what each noun declares. */
export interface Tables
  extends AccountTables,
    AgentTables,
    AvatarSessionTables,
    KnowledgeTables,
    LimitTables,
    OrganizationTables,
    UploadTables,
    WebhookTables {}

export type Database = Kysely<Tables>;
/** Either the database or a transaction on it: for store functions that may take part in a larger change. */
export type Queryable = Database | Transaction<Tables>;

export interface DatabaseOptions {
  /** postgres:// URL. */
  url: string;
  logger: Logger;
  /** Most connections at a time. Default 14: each of the three job runners keeps two for itself. */
  maxConnections?: number;
}

const INT8_OID = 20;

/** A pool of connections; connects on first use. Outlives any of them. Things that need `pg` itself, like the job queue, share it. */
export function createPool(options: DatabaseOptions): pg.Pool {
  const types = new pg.TypeOverrides();
  // Counts and identities stay far below 2^53, so plain numbers are safe and spare every store a conversion.
  types.setTypeParser(INT8_OID, (text) => Number(text));
  const pool = new pg.Pool({ connectionString: options.url, max: options.maxConnections ?? 14, types });
  // Without listeners a connection that breaks between two queries would end the process. An idle one the pool replaces by itself; one
  // that is held fails its holder's next query.
  pool.on("connect", (client) => client.on("error", () => undefined));
  pool.on("error", (error) => options.logger.warn({ err: error }, "database connection lost"));
  return pool;
}

/** A database handle, on a pool of its own or on one that others share. `destroy()` closes the pool. */
export function createDatabase(source: DatabaseOptions | pg.Pool): Database {
  const pool = source instanceof pg.Pool ? source : createPool(source);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparePool(pool) }) });
}
