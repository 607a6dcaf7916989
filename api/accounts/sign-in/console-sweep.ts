// Removes sessions of the console that have ended, and settles the secrets that stood behind them once nothing needs
// them.
import { sql } from "kysely";
import type { Logger } from "../../../program/log.ts";
import { BackgroundLoop } from "../../kernel/background-loop.ts";
import type { Database } from "../../kernel/database/database.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import { CONSOLE_SESSION_MS } from "./console-sessions.ts";

const INTERVAL_MS = 600_000;
/** Tokens that were minted in a session name its secret, for an hour and a quarter at most. */
const UNHELD_KEPT_MS = 24 * 3_600_000;
/** Rows that a round notes, and secrets that it settles, at most. For each secret that is removed, tables that refer to
 *  it are searched for its id, which has no index there: one would cost every heartbeat more than a few searches a day.
 */
const MAX_NOTED = 500;
const MAX_SETTLED = 20;

/** Sweeps every ten minutes. */
export function createConsoleSweep(services: {
  database: Database;
  logger: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
}): BackgroundService {
  const { database, logger, now } = services;
  return new BackgroundLoop({
    name: "console sessions",
    intervalMs: INTERVAL_MS,
    logger,
    async work() {
      const { removed, revoked } = await sweepConsole(database, new Date(now()));
      if (removed + revoked > 0) logger.info({ removed, revoked }, "secrets of ended console sessions settled");
    },
  });
}

/** Removes ended sessions, and settles the secrets of those that ended a day ago or earlier: a secret that records of
 *  avatar sessions or the ledger name is revoked and stays for them, another one is removed. A secret that a running
 *  avatar session, a realtime call or a valid link names waits: what a session began does not end with it. Returns
 *  numbers of secrets, 20 together at most. */
export async function sweepConsole(database: Database, now: Date): Promise<{ removed: number; revoked: number }> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  await sql`
    delete from console_sessions where id in (
      select id from console_sessions where last_used_at <= ${before(CONSOLE_SESSION_MS)} limit ${MAX_NOTED}
    )`.execute(database);
  await sql`
    update api_secrets set unheld_since = ${now} where id in (
      select secret.id from api_secrets secret
      where is_console and unheld_since is null and revoked_at is null
        and not exists (select from console_sessions held where held.secret_id = secret.id)
      limit ${MAX_NOTED}
    )`.execute(database);
  const { rows } = await sql<{ removed: number; revoked: number }>`
    with unneeded as (
      select secret.id, secret.user_id from api_secrets secret
      where is_console and unheld_since <= ${before(UNHELD_KEPT_MS)}
        and not exists (
          select from avatar_sessions session
          where session.user_id = secret.user_id and session.secret_id = secret.id and session.status <> 'ended'
        )
        and not exists (select from realtime_calls call where call.secret_id = secret.id)
        and not exists (
          select from embed_links link
          where link.user_id = secret.user_id and link.secret_id = secret.id and link.expires_at > ${now}
        )
      order by unheld_since
      limit ${MAX_SETTLED}
      for update skip locked
    ), named as (
      select id from unneeded
      where exists (
        select from avatar_sessions session
        where session.user_id = unneeded.user_id and session.secret_id = unneeded.id and session.status = 'ended'
      ) or exists (
        select from credit_movements movement
        where movement.user_id = unneeded.user_id and movement.secret_id = unneeded.id
      )
    ), revoked as (
      update api_secrets set revoked_at = coalesce(revoked_at, ${now}), unheld_since = null
      where id in (select id from named) returning id
    ), removed as (
      delete from api_secrets
      where id in (select id from unneeded) and id not in (select id from named) returning id
    )
    select (select count(*) from removed)::int as removed, (select count(*) from revoked)::int as revoked`.execute(
    database,
  );
  return rows[0];
}
