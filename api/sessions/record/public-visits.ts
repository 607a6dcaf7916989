// Sessions of visitors of public agents, who need no token of the owner's.
import { createHmac } from "node:crypto";
import { sql } from "kysely";
import type { Queryable } from "../../kernel/database/database.ts";
import { deriveKey } from "../../kernel/tokens/derive-key.ts";
import type { AvatarSession } from "./avatar-session.ts";
import "./public-visit-tables.ts";

/** Whom a visit counts for. Digests with the installation's key and the day: a visitor is another one tomorrow. */
export interface PublicVisitor {
  /** In UTC, as YYYY-MM-DD. */
  day: string;
  visitorDigest: string;
  addressDigest: string;
}

/** One network address may use up the minutes of this many visitors: visitors can take another name, and many share
 *  an address. */
const VISITORS_PER_ADDRESS = 10;
const DIGEST_CHARACTERS = 32;

/** The visitor of a request. `visitor` is what limits per visitor count, `address` the key of the network address. */
export function publicVisitorOf(
  signingKey: Uint8Array,
  { agentCode, visitor, address, now }: { agentCode: string; visitor: string; address: string; now: Date },
): PublicVisitor {
  const day = now.toISOString().slice(0, "2026-01-01".length);
  const key = deriveKey(signingKey, "public-visitors");
  const digest = (...parts: string[]): string =>
    createHmac("sha256", key)
      .update(JSON.stringify([day, agentCode, ...parts]))
      .digest("hex")
      .slice(0, DIGEST_CHARACTERS);
  return { day, visitorDigest: digest("visitor", visitor), addressDigest: digest("address", address) };
}

export async function insertVisit(
  database: Queryable,
  { id, agentCode }: Pick<AvatarSession, "id" | "agentCode">,
  { day, visitorDigest, addressDigest }: PublicVisitor,
): Promise<void> {
  if (agentCode === null) return;
  await database
    .insertInto("public_visits")
    .values({
      session_id: id,
      agent_code: agentCode,
      day,
      visitor_digest: visitorDigest,
      address_digest: addressDigest,
    })
    .execute();
}

/** Sessions of an agent's visitors that began on a day. */
export async function countVisits(database: Queryable, agentCode: string, day: string): Promise<number> {
  const { count } = await database
    .selectFrom("public_visits")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("agent_code", "=", agentCode)
    .where("day", "=", day)
    .executeTakeFirstOrThrow();
  return count;
}

/** Whether a visitor, or the visitors of one address, have had the conversations of their day. */
export async function hasUsedMinutes(
  database: Queryable,
  agentCode: string,
  { day, visitorDigest, addressDigest }: PublicVisitor,
  minutesPerDay: number,
): Promise<boolean> {
  const secondsOf = (column: string, digest: string) =>
    sql<number>`coalesce(sum(served_deciseconds) filter (where ${sql.ref(column)} = ${digest}), 0)::float8 / 10`;
  const { visitor_s: visitorS, address_s: addressS } = await database
    .selectFrom("public_visits")
    .innerJoin("avatar_sessions", "avatar_sessions.id", "public_visits.session_id")
    .select([
      secondsOf("visitor_digest", visitorDigest).as("visitor_s"),
      secondsOf("address_digest", addressDigest).as("address_s"),
    ])
    .where("public_visits.agent_code", "=", agentCode)
    .where("public_visits.day", "=", day)
    .executeTakeFirstOrThrow();
  const allowedS = minutesPerDay * 60;
  return visitorS >= allowedS || addressS >= allowedS * VISITORS_PER_ADDRESS;
}

/** The visit of a session; null if its visitor came with a token of the owner's. */
export async function findVisit(database: Queryable, sessionId: string): Promise<PublicVisitor | null> {
  const row = await database
    .selectFrom("public_visits")
    .selectAll()
    .where("session_id", "=", sessionId)
    .executeTakeFirst();
  return row ? { day: row.day, visitorDigest: row.visitor_digest, addressDigest: row.address_digest } : null;
}

/** Ids of the sessions of an agent's visitors that have not ended. */
export async function listUnendedVisits(database: Queryable, agentCode: string): Promise<string[]> {
  const rows = await database
    .selectFrom("public_visits")
    .innerJoin("avatar_sessions", "avatar_sessions.id", "public_visits.session_id")
    .select("avatar_sessions.id")
    .where("public_visits.agent_code", "=", agentCode)
    .where("avatar_sessions.status", "<>", "ended")
    .execute();
  return rows.map(({ id }) => id);
}
