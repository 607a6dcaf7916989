// Sessions of the console in PostgreSQL: a person who has signed in with a browser. The cookie's value is stored as a
// hash.
import { z } from "zod";
import type { Database, Queryable } from "../../kernel/database/database.ts";
import { addConsoleSecret, findBySecretId, type SecretOwner } from "../secrets/secret-store.ts";
import { createRandomValue, hashRandomValue } from "./random-value.ts";
import type { SignInMethod } from "./sign-in-tables.ts";

/** A session ends this long after its last use. */
export const CONSOLE_SESSION_MS = 12 * 3_600_000;
/** Uses within this time are not written. */
const USE_STEP_MS = 60_000;
const MAX_USER_AGENT_CHARACTERS = 300;

export interface NewConsoleSession {
  userId: string;
  /** The secret that was pasted. Null: one is made that stands for this session. */
  secretId: string | null;
  method: SignInMethod;
  userAgent: string;
  address: string;
}

export interface ConsoleSession {
  id: string;
  method: SignInMethod;
  userAgent: string;
  address: string;
  createdAt: Date;
  lastUsedAt: Date;
}

export interface OpenConsoleSession {
  id: string;
  /** The account, and the secret behind the session. */
  owner: SecretOwner;
}

export type ConsoleSessions = ReturnType<typeof createConsoleSessions>;

/** `now`: milliseconds since the epoch. */
export function createConsoleSessions({ database, now }: { database: Database; now: () => number }) {
  const oldestUse = () => new Date(now() - CONSOLE_SESSION_MS);

  async function find(value: string): Promise<(OpenConsoleSession & { lastUsedAt: Date }) | null> {
    const session = await database
      .selectFrom("console_sessions")
      .select(["id", "secret_id", "last_used_at"])
      .where("cookie_sha256", "=", hashRandomValue(value))
      .where("last_used_at", ">", oldestUse())
      .executeTakeFirst();
    const owner = session ? await findBySecretId(database, session.secret_id) : null;
    if (!session || owner === null || owner.isRevoked) return null;
    return { id: session.id, owner, lastUsedAt: session.last_used_at };
  }

  return {
    /** Begins a session. Returns the value of its cookie, which only this call returns. */
    begin(session: NewConsoleSession): Promise<string> {
      const value = createRandomValue();
      const at = new Date(now());
      const { userId, method, address } = session;
      return database.transaction().execute(async (transaction) => {
        await transaction
          .insertInto("console_sessions")
          .values({
            user_id: userId,
            cookie_sha256: hashRandomValue(value),
            secret_id: session.secretId ?? (await addConsoleSecret(transaction, { userId, createdAt: at })),
            method,
            user_agent: session.userAgent.slice(0, MAX_USER_AGENT_CHARACTERS),
            address,
            created_at: at,
            last_used_at: at,
          })
          .execute();
        return value;
      });
    },

    /** The session of a cookie, noting its use; null if there is none, it has ended, or its secret was revoked. */
    async use(value: string): Promise<OpenConsoleSession | null> {
      const session = await find(value);
      if (session === null) return null;
      const { id, owner } = session;
      if (now() - session.lastUsedAt.getTime() >= USE_STEP_MS) {
        await database
          .updateTable("console_sessions")
          .set({ last_used_at: new Date(now()) })
          .where("id", "=", id)
          .execute();
      }
      return { id, owner };
    },

    /** As `use`, for what a page does by itself: its use is not noted. */
    find,

    /** Those of the sessions that are open. */
    async openOnes(ids: readonly string[]): Promise<ReadonlySet<string>> {
      if (ids.length === 0) return new Set();
      const rows = await database
        .selectFrom("console_sessions as session")
        .innerJoin("api_secrets as secret", "secret.id", "session.secret_id")
        .select("session.id")
        .where("session.id", "in", ids)
        .where("session.last_used_at", ">", oldestUse())
        .where("secret.revoked_at", "is", null)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    /** The open sessions of an account, the last used first. */
    async list(userId: string): Promise<ConsoleSession[]> {
      const rows = await database
        .selectFrom("console_sessions as session")
        .innerJoin("api_secrets as secret", "secret.id", "session.secret_id")
        .select(["session.id", "method", "user_agent", "address", "session.created_at", "session.last_used_at"])
        .where("session.user_id", "=", userId)
        .where("session.last_used_at", ">", oldestUse())
        .where("secret.revoked_at", "is", null)
        .orderBy("session.last_used_at", "desc")
        .orderBy("session.id")
        .execute();
      return rows.map((row) => ({
        id: row.id,
        method: row.method,
        userAgent: row.user_agent,
        address: row.address,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
      }));
    },

    /** Ends a session. What it began goes on. */
    async end(id: string): Promise<void> {
      await database.deleteFrom("console_sessions").where("id", "=", id).execute();
    },

    /** Ends a session of an account and all that it began, as the revocation of a secret does. A pasted secret itself
     *  stays. Returns false if there is no such session. */
    async revoke(userId: string, id: string): Promise<boolean> {
      if (!z.uuid().safeParse(id).success) return false;
      return database.transaction().execute(async (transaction) => {
        const session = await transaction
          .deleteFrom("console_sessions")
          .where("id", "=", id)
          .where("user_id", "=", userId)
          .returning("secret_id")
          .executeTakeFirst();
        if (session) await revokeConsoleSecret(transaction, session.secret_id, new Date(now()));
        return session !== undefined;
      });
    },
  };
}

async function revokeConsoleSecret(database: Queryable, id: string, at: Date): Promise<void> {
  await database
    .updateTable("api_secrets")
    .set({ revoked_at: at, unheld_since: at })
    .where("id", "=", id)
    .where("is_console", "=", true)
    .execute();
}
