// Short links to embed pages, in PostgreSQL.
import { randomInt } from "node:crypto";
import type { Selectable } from "kysely";
import type { Queryable, Tables } from "../kernel/database/database.ts";

export interface EmbedLink {
  code: string;
  userId: string;
  /** The link ends with its secret. */
  secretId: string;
  agentCode: string;
  /** Model name as requested; null for the agent's own. */
  model: string | null;
  createdAt: Date;
  expiresAt: Date;
}

/** No letters that look alike, so that a link can be read out. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";
/** 2^49: with 120 requests a minute of an address, a guess at one of a thousand links takes thousands of years. */
const CODE_CHARACTERS = 10;

/** A new random code. */
export function newLinkCode(): string {
  return Array.from({ length: CODE_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

export async function insertLink(database: Queryable, link: EmbedLink): Promise<void> {
  await database
    .insertInto("embed_links")
    .values({
      code: link.code,
      user_id: link.userId,
      secret_id: link.secretId,
      agent_code: link.agentCode,
      model: link.model,
      created_at: link.createdAt,
      expires_at: link.expiresAt,
    })
    .execute();
}

/** The link of a code, expired ones included, or null. */
export async function findLink(database: Queryable, code: string): Promise<EmbedLink | null> {
  const row = await database.selectFrom("embed_links").selectAll().where("code", "=", code).executeTakeFirst();
  return row ? toLink(row) : null;
}

export interface LinkFilter {
  /** Absent: of all agents. */
  agentCode?: string;
  limit: number;
  offset: number;
  /** The present time. */
  at: Date;
}

/** One page of an account's links that work at a time, newest first, and their number. */
export async function listLinks(
  database: Queryable,
  userId: string,
  { agentCode, limit, offset, at }: LinkFilter,
): Promise<{ links: EmbedLink[]; total: number }> {
  let wanted = database
    .selectFrom("embed_links")
    .innerJoin("api_secrets", "api_secrets.id", "embed_links.secret_id")
    .innerJoin("agents", "agents.code", "embed_links.agent_code")
    .where("embed_links.user_id", "=", userId)
    .where("embed_links.expires_at", ">", at)
    .where("api_secrets.revoked_at", "is", null)
    .where("agents.deleted_at", "is", null);
  if (agentCode !== undefined) wanted = wanted.where("embed_links.agent_code", "=", agentCode);
  const rows = await wanted
    .selectAll("embed_links")
    .orderBy("embed_links.created_at", "desc")
    .orderBy("embed_links.code")
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await wanted.select((fields) => fields.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { links: rows.map(toLink), total };
}

function toLink(row: Selectable<Tables["embed_links"]>): EmbedLink {
  return {
    code: row.code,
    userId: row.user_id,
    secretId: row.secret_id,
    agentCode: row.agent_code,
    model: row.model,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/** Links of an account that have not expired. */
export async function countLinks(database: Queryable, userId: string, now: Date): Promise<number> {
  const { count } = await database
    .selectFrom("embed_links")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  return count;
}

export async function deleteLink(database: Queryable, code: string): Promise<void> {
  await database.deleteFrom("embed_links").where("code", "=", code).execute();
}

/** For the job runner's recovery. */
export async function deleteExpiredLinks(database: Queryable, now: Date): Promise<void> {
  await database.deleteFrom("embed_links").where("expires_at", "<=", now).execute();
}
