// Token exchanges in PostgreSQL, with the caller's defaults for sessions of the token.
import type { Queryable } from "../../kernel/database/database.ts";
import "./token-exchange-tables.ts";

export interface TokenExchange {
  /** The transaction_id. */
  id: string;
  userId: string;
  /** Default agent of sessions started with the token. */
  agentCode: string | null;
  billingType: string | null;
  roomName: string | null;
  endUserId: string | null;
  fingerprint: string | null;
  tags: string | null;
  expiresAt: Date;
}

/** Retention after the token has expired, for a session that it is just beginning. */
const KEPT_MS = 60_000;

export async function insertTokenExchange(database: Queryable, exchange: TokenExchange): Promise<void> {
  await database
    .insertInto("token_exchanges")
    .values({
      id: exchange.id,
      user_id: exchange.userId,
      agent_code: exchange.agentCode,
      billing_type: exchange.billingType,
      room_name: exchange.roomName,
      end_user_id: exchange.endUserId,
      fingerprint: exchange.fingerprint,
      tags: exchange.tags,
      expires_at: exchange.expiresAt,
    })
    .execute();
}

/** The values that sessions of a token inherit from its exchange; null if the exchange has been deleted. */
export async function findTokenExchange(
  database: Queryable,
  { id, userId }: Pick<TokenExchange, "id" | "userId">,
): Promise<Pick<TokenExchange, "id" | "agentCode" | "roomName"> | null> {
  const row = await database
    .selectFrom("token_exchanges")
    .select(["id", "agent_code", "room_name"])
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row ? { id: row.id, agentCode: row.agent_code, roomName: row.room_name } : null;
}

/** Number of an account's exchanges with a token that is still valid; counts no further than `most`. */
export async function countLiveExchanges(
  database: Queryable,
  { userId, now, most }: { userId: string; now: Date; most: number },
): Promise<number> {
  const { count } = await database
    .selectFrom((query) =>
      query
        .selectFrom("token_exchanges")
        .select("id")
        .where("user_id", "=", userId)
        .where("expires_at", ">", now)
        .limit(most)
        .as("live"),
    )
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes exchanges with an expired token that started no session. The others are part of the account's records. */
export async function sweepTokenExchanges(database: Queryable, now: Date): Promise<void> {
  await database
    .deleteFrom("token_exchanges")
    .where("expires_at", "<", new Date(now.getTime() - KEPT_MS))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("avatar_sessions")
            .select("avatar_sessions.id")
            .whereRef("avatar_sessions.transaction_id", "=", "token_exchanges.id"),
        ),
      ),
    )
    .execute();
}
