// Knowledge bases, their files and builds in PostgreSQL. Every function takes the database or a transaction; none
// checks rules.
import { type Selectable, sql } from "kysely";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { KnowledgeBaseStatus } from "./knowledge-base.ts";

export type KnowledgeFile = Selectable<Tables["knowledge_files"]>;
export type KnowledgeBase = Selectable<Tables["knowledge_bases"]>;
export type KnowledgeBuild = Selectable<Tables["knowledge_builds"]>;

export interface KnowledgeBaseSummary extends KnowledgeBase {
  sourceCount: number;
  agentCount: number;
}

export async function insertFile(database: Queryable, file: KnowledgeFile): Promise<void> {
  await database.insertInto("knowledge_files").values(file).execute();
}

/** Files by id, of any organization. */
export function findFiles(database: Queryable, ids: readonly string[]): Promise<KnowledgeFile[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return database.selectFrom("knowledge_files").selectAll().where("id", "in", ids).execute();
}

/** An organization's files, newest first, and their total number. */
export async function listFiles(
  database: Queryable,
  organizationId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ files: KnowledgeFile[]; total: number }> {
  const own = database.selectFrom("knowledge_files").where("organization_id", "=", organizationId);
  const [files, { total }] = await Promise.all([
    own.selectAll().orderBy("created_at", "desc").orderBy("id").limit(limit).offset(offset).execute(),
    own.select((is) => is.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
  ]);
  return { files, total };
}

/** A base's files, in their order. */
export function listFilesOf(database: Queryable, knowledgeBaseId: string): Promise<KnowledgeFile[]> {
  return database
    .selectFrom("knowledge_files as f")
    .innerJoin("knowledge_base_files as m", "m.file_id", "f.id")
    .selectAll("f")
    .where("m.kb_id", "=", knowledgeBaseId)
    .orderBy("m.position")
    .execute();
}

export async function insertKnowledgeBase(
  database: Queryable,
  base: Pick<KnowledgeBase, "id" | "organization_id" | "user_id" | "name" | "description" | "created_at">,
  fileIds: readonly string[],
): Promise<KnowledgeBase> {
  const row = await database
    .insertInto("knowledge_bases")
    .values({ ...base, status: "stale" })
    .returningAll()
    .executeTakeFirstOrThrow();
  await replaceFilesOf(database, base.id, fileIds);
  return row;
}

/** Sets a base's files, in this order. */
export async function replaceFilesOf(
  database: Queryable,
  knowledgeBaseId: string,
  fileIds: readonly string[],
): Promise<void> {
  await database.deleteFrom("knowledge_base_files").where("kb_id", "=", knowledgeBaseId).execute();
  if (fileIds.length === 0) return;
  const rows = fileIds.map((file_id, position) => ({ kb_id: knowledgeBaseId, file_id, position }));
  await database.insertInto("knowledge_base_files").values(rows).execute();
}

/** A base, or null. `lock` keeps it from changing until the transaction ends. */
export async function findKnowledgeBase(
  database: Queryable,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<KnowledgeBase | null> {
  const query = database.selectFrom("knowledge_bases").selectAll().where("id", "=", id);
  return (await (lock ? query.forUpdate() : query).executeTakeFirst()) ?? null;
}

/** An organization's bases, newest first; with `id`, that one alone. */
export async function listKnowledgeBases(
  database: Queryable,
  organizationId: string,
  id?: string,
): Promise<KnowledgeBaseSummary[]> {
  const query = database
    .selectFrom("knowledge_bases as k")
    .selectAll("k")
    .select([
      sql<number>`(select count(*) from knowledge_base_files f where f.kb_id = k.id)`.as("sourceCount"),
      sql<number>`(select count(*) from agent_knowledge_bases a join agents g on g.id = a.agent_id
        where a.kb_id = k.id and g.deleted_at is null)`.as("agentCount"),
    ])
    .where("k.organization_id", "=", organizationId)
    .orderBy("k.created_at", "desc")
    .orderBy("k.id");
  return (id === undefined ? query : query.where("k.id", "=", id)).execute();
}

/** An account's agents that use a base, newest first, 200 at most. */
export function listUsersOf(
  database: Queryable,
  knowledgeBaseId: string,
  userId: string,
): Promise<{ code: string; name: string }[]> {
  return database
    .selectFrom("agents as g")
    .innerJoin("agent_knowledge_bases as a", "a.agent_id", "g.id")
    .select(["g.code", "g.name"])
    .where("a.kb_id", "=", knowledgeBaseId)
    .where("g.user_id", "=", userId)
    .where("g.deleted_at", "is", null)
    .orderBy("g.created_at", "desc")
    .limit(200)
    .execute();
}

export async function updateKnowledgeBase(
  database: Queryable,
  id: string,
  patch: Partial<
    Pick<
      KnowledgeBase,
      | "name"
      | "description"
      | "status"
      | "built_rev"
      | "built_id"
      | "artifact_key"
      | "error_message"
      | "is_rebuild_wanted"
      | "content_rev"
    >
  >,
): Promise<void> {
  await database.updateTable("knowledge_bases").set(patch).where("id", "=", id).execute();
}

/** Ids of the builds that searches of the given bases use. */
export async function listSearchable(database: Queryable, knowledgeBaseIds: readonly string[]): Promise<string[]> {
  if (knowledgeBaseIds.length === 0) return [];
  const rows = await database
    .selectFrom("knowledge_bases")
    .select("built_id")
    .where("id", "in", knowledgeBaseIds)
    .where("built_id", "is not", null)
    .execute();
  return rows.flatMap(({ built_id }) => (built_id === null ? [] : [built_id]));
}

export async function insertBuild(database: Queryable, build: KnowledgeBuild): Promise<void> {
  await database.insertInto("knowledge_builds").values(build).execute();
}

export async function findBuild(database: Queryable, id: string): Promise<KnowledgeBuild | null> {
  return (await database.selectFrom("knowledge_builds").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** Marks a build as ended. Returns whether it was running, so that of two concurrent calls one gets true. */
export async function endBuild(database: Queryable, id: string): Promise<boolean> {
  const result = await database
    .updateTable("knowledge_builds")
    .set({ is_running: false })
    .where("id", "=", id)
    .where("is_running", "=", true)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Running builds that concern a base or an account. */
export function listRunning(
  database: Queryable,
  { knowledgeBaseId, userId }: { knowledgeBaseId: string; userId: string },
): Promise<KnowledgeBuild[]> {
  return database
    .selectFrom("knowledge_builds")
    .selectAll()
    .where("is_running", "=", true)
    .where((is) => is.or([is("kb_id", "=", knowledgeBaseId), is("user_id", "=", userId)]))
    .execute();
}

/** Builds that an account started since a time. */
export async function countBuilds(database: Queryable, userId: string, since: Date): Promise<number> {
  const row = await database
    .selectFrom("knowledge_builds")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("started_at", ">=", since)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Ended builds of a base, except the one that is searched. */
export async function listSpentBuilds(database: Queryable, knowledgeBaseId: string): Promise<string[]> {
  const rows = await database
    .selectFrom("knowledge_builds as b")
    .innerJoin("knowledge_bases as k", "k.id", "b.kb_id")
    .select("b.id")
    .where("b.kb_id", "=", knowledgeBaseId)
    .where("b.is_running", "=", false)
    .whereRef("b.id", "is distinct from", "k.built_id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Running builds that have lost their job. */
export async function listOrphanedBuilds(database: Queryable): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select b.id from knowledge_builds b
    where b.is_running and not exists (
      select from graphile_worker.jobs j
      where j.key = 'knowledge-build:' || b.id and (j.attempts < j.max_attempts or j.locked_at is not null)
    )`.execute(database);
  return rows.map(({ id }) => id);
}

/** Takes due sources and postpones their next attempt, so that no other process takes them too: by one hour after the
 *  first failure, then two, four and so on, up to a week. Takes sources of the organizations in turn. */
export async function takeSourcesToSync(
  database: Queryable,
  now: Date,
  limits: { total: number; perOrganization: number },
): Promise<KnowledgeFile[]> {
  const { rows } = await sql<KnowledgeFile>`
    with due as (
      select id, row_number() over (partition by organization_id order by next_sync_at, id) as turn
      from knowledge_files where next_sync_at <= ${now}
    ), taken as (
      select f.id from knowledge_files f join due on due.id = f.id
      where due.turn <= ${limits.perOrganization} and f.next_sync_at <= ${now}
      order by due.turn, f.next_sync_at limit ${limits.total} for update of f skip locked
    )
    update knowledge_files f
    set next_sync_at = ${now}::timestamptz + least(interval '7 days', interval '1 hour' * power(2, least(f.sync_failures, 10))),
      sync_failures = f.sync_failures + 1
    from taken where taken.id = f.id returning f.*`.execute(database);
  return rows;
}

/** Returns false if the file was deleted meanwhile. */
export async function updateFile(
  database: Queryable,
  id: string,
  patch: Partial<Pick<KnowledgeFile, "size_bytes" | "sha256" | "object_key" | "next_sync_at" | "sync_failures">>,
): Promise<boolean> {
  const result = await database.updateTable("knowledge_files").set(patch).where("id", "=", id).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Bases that a file belongs to. */
export async function listBasesOf(database: Queryable, fileId: string): Promise<string[]> {
  const rows = await database
    .selectFrom("knowledge_base_files")
    .select("kb_id")
    .where("file_id", "=", fileId)
    .execute();
  return rows.map(({ kb_id }) => kb_id);
}

/** Increments a base's revision. A queued or building base keeps its status, because the end of its build compares the
 *  revisions. */
export async function markChanged(database: Queryable, knowledgeBaseId: string): Promise<void> {
  const isSettled = sql<KnowledgeBaseStatus>`case when status in ('queued', 'building') then status else 'stale' end`;
  await database
    .updateTable("knowledge_bases")
    .set((is) => ({ content_rev: is("content_rev", "+", 1), status: isSettled }))
    .where("id", "=", knowledgeBaseId)
    .execute();
}

/** Bases that an agent uses, of organizations that its owner is a member of. */
export async function listAgentKnowledge(
  database: Queryable,
  agent: { id: string; userId: string },
): Promise<string[]> {
  const rows = await database
    .selectFrom("agent_knowledge_bases as a")
    .innerJoin("knowledge_bases as k", "k.id", "a.kb_id")
    .innerJoin("organizations as o", "o.id", "k.organization_id")
    .innerJoin("organization_members as m", "m.organization_id", "o.id")
    .select("a.kb_id")
    .where("a.agent_id", "=", agent.id)
    .where("m.user_id", "=", agent.userId)
    .where("o.deleted_at", "is", null)
    .orderBy("a.kb_id")
    .execute();
  return rows.map(({ kb_id }) => kb_id);
}

/** Sets the bases that an agent uses. */
export async function replaceAgentKnowledge(
  database: Queryable,
  agentId: string,
  knowledgeBaseIds: readonly string[],
): Promise<void> {
  await database.deleteFrom("agent_knowledge_bases").where("agent_id", "=", agentId).execute();
  if (knowledgeBaseIds.length === 0) return;
  const rows = knowledgeBaseIds.map((kb_id) => ({ agent_id: agentId, kb_id }));
  await database.insertInto("agent_knowledge_bases").values(rows).execute();
}
