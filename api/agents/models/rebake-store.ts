// Which models an earlier generator made, in PostgreSQL.
import { type RawBuilder, sql } from "kysely";
import type { ModelFamily } from "../../../shared/models.ts";
import { RIG_GENERATOR_VERSION } from "../../../src/face/rig/bake-portrait.ts";
import type { Queryable } from "../../kernel/database/database.ts";

/** Attempts by one version; none follows until the next version. */
export const MAX_REBAKE_ATTEMPTS = 3;
/** Time between two attempts, for a fault that passes. */
export const REBAKE_RETRY_MS = 3_600_000;

/** A model that an earlier generator made. */
export interface OutdatedModel {
  agentId: string;
  family: ModelFamily;
  /** Its present file. */
  key: string;
  /** Null for one before versions were recorded. */
  generatorVersion: string | null;
  /** This attempt; 1 for the first. */
  attempt: number;
}

/** A version's numbers as an array, which PostgreSQL compares in order. */
const numbersOf = (version: RawBuilder<unknown>) => sql`string_to_array(${version}, '.')::int[]`;
const ours = numbersOf(sql`${RIG_GENERATOR_VERSION}::text`);

/** Condition on a model `m` of an agent `a`: it is in use, an earlier generator made it, and neither has this version
 *  given it up nor has a later one tried it. */
const isOutdated = sql`
  m.state = 'ready' and not m.is_draft and m.artifact_key is not null
  and a.deleted_at is null and a.status in ('ready', 'failed')
  and m.generator_version is distinct from ${RIG_GENERATOR_VERSION}
  and (m.generator_version is null or ${numbersOf(sql`m.generator_version`)} < ${ours})
  and (
    m.rebake_version is null or ${numbersOf(sql`m.rebake_version`)} < ${ours}
    or (m.rebake_version = ${RIG_GENERATOR_VERSION} and m.rebake_attempts < ${MAX_REBAKE_ATTEMPTS})
  )`;

/** Number of models that an earlier generator made and that can be baked again. */
export async function countOutdatedModels(database: Queryable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from agent_models m join agents a on a.id = m.agent_id where ${isOutdated}
  `.execute(database);
  return rows[0].count;
}

/** Takes the next model to bake again, and counts the attempt: a process that dies during it has used it up. Null if
 *  there is none now. A model with an earlier file that is not deleted yet comes later. */
export async function claimOutdatedModel(
  database: Queryable,
  { now, paused }: { now: Date; paused: readonly ModelFamily[] },
): Promise<OutdatedModel | null> {
  const retriable = new Date(now.getTime() - REBAKE_RETRY_MS);
  const { rows } = await sql<OutdatedModel>`
    with next as (
      select m.agent_id, m.family
      from agent_models m join agents a on a.id = m.agent_id
      where ${isOutdated} and m.replaced_key is null and m.family <> all(${paused}::text[])
        and (
          m.rebake_version is distinct from ${RIG_GENERATOR_VERSION} or m.rebake_tried_at is null
          or m.rebake_tried_at <= ${retriable}
        )
      order by m.rebake_tried_at nulls first, a.created_at desc, a.id, m.family
      limit 1
      for update of m skip locked
    )
    update agent_models m
    set rebake_version = ${RIG_GENERATOR_VERSION},
      rebake_attempts = case when m.rebake_version = ${RIG_GENERATOR_VERSION} then m.rebake_attempts else 0 end + 1,
      rebake_tried_at = ${now}
    from next
    where m.agent_id = next.agent_id and m.family = next.family and not m.is_draft
    returning m.agent_id as "agentId", m.family, m.artifact_key as key,
      m.generator_version as "generatorVersion", m.rebake_attempts as attempt
  `.execute(database);
  return rows[0] ?? null;
}

/** Makes an attempt uncounted, because this process ended it. */
export async function returnOutdatedModel(database: Queryable, { agentId, family, key }: OutdatedModel): Promise<void> {
  await database
    .updateTable("agent_models")
    .set((fields) => ({ rebake_attempts: fields("rebake_attempts", "-", 1), rebake_tried_at: null }))
    .where("agent_id", "=", agentId)
    .where("family", "=", family)
    .where("artifact_key", "=", key)
    .where("rebake_version", "=", RIG_GENERATOR_VERSION)
    .execute();
}

/** Lets no further attempt follow until the next version. */
export async function giveUpOutdatedModel(database: Queryable, { agentId, family, key }: OutdatedModel): Promise<void> {
  await database
    .updateTable("agent_models")
    .set({ rebake_attempts: MAX_REBAKE_ATTEMPTS })
    .where("agent_id", "=", agentId)
    .where("family", "=", family)
    .where("artifact_key", "=", key)
    .where("rebake_version", "=", RIG_GENERATOR_VERSION)
    .execute();
}
