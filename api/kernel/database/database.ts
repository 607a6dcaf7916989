// Opens the database: a pool of connections behind a typed query builder.
import type { Socket } from "node:net";
import { Kysely, PostgresDialect, type Transaction } from "kysely";
import pg from "pg";
import type { Logger } from "../../../program/log.ts";
import { preparePool } from "./prepared-pool.ts";

/** Every table by its name. Each noun adds its own tables in its `*-tables.ts`, by declaration merging, so that this
 *  file does not depend on nouns. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by the nouns
export interface Tables {}

export type Database = Kysely<Tables>;
/** The database or a transaction on it, for store functions that may be part of a larger change. */
export type Queryable = Database | Transaction<Tables>;

/** True for the database itself. Statements outside of transactions may be shared between requests. */
export function isOutsideTransaction(database: Queryable): database is Database {
  return !database.isTransaction;
}

export interface DatabaseOptions {
  /** postgres:// URL. */
  url: string;
  logger: Logger;
  /** Most connections at a time. Default 14, of which the job runner keeps two. */
  maxConnections?: number;
  /** Limit for a connection, the wait for a free one included, in ms. Default 10,000. */
  connectTimeoutMs?: number;
  /** A connection of which nothing comes for this time while a query runs is given up, in ms. Default 60,000. */
  queryTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 60_000;
/** A connection that is idle is probed by the system, so that a listening one notices a lost network. */
const KEEP_ALIVE_DELAY_MS = 15_000;

const INT8_OID = 20;

/** A pool of connections; connects on first use. The job queue, which needs `pg` itself, shares it. */
export function createPool(options: DatabaseOptions): pg.Pool {
  const types = new pg.TypeOverrides();
  // Counts and identities stay far below 2^53, so plain numbers are safe.
  types.setTypeParser(INT8_OID, (text) => Number(text));
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? 14,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types,
  });
  pool.on("connect", (client) => {
    // Without listeners, a connection that breaks between two queries would end the process. The pool replaces an idle
    // connection; a connection in use fails the next query of its user.
    client.on("error", () => undefined);
    endWhenSilent(client, options.queryTimeoutMs ?? QUERY_TIMEOUT_MS);
  });
  pool.on("error", (error) => options.logger.warn({ err: error }, "database connection lost"));
  return pool;
}

/** A database handle, on a pool of its own or on one that others share. `destroy()` closes the pool. */
export function createDatabase(source: DatabaseOptions | pg.Pool): Database {
  const pool = source instanceof pg.Pool ? source : createPool(source);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparePool(pool) }) });
}

/** Breaks a connection that sends nothing while a query runs, which then fails. The driver's own `query_timeout` would
 *  leave the connection in the pool, with its query. */
function endWhenSilent(client: pg.PoolClient, timeoutMs: number): void {
  const driver = client as unknown as DriverClient;
  const { stream } = driver.connection;
  stream.setTimeout(timeoutMs).on("timeout", () => {
    if (driver.readyForQuery) return;
    const error = new Error(`the database did not answer within ${timeoutMs / 1000} s`);
    stream.destroy(Object.assign(error, { code: "ETIMEDOUT" }));
  });
}

/** What the driver's types leave out. */
interface DriverClient {
  connection: { stream: Socket };
  /** False while a query runs. */
  readyForQuery: boolean;
}
