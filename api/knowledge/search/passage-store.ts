// Passages in PostgreSQL. Builds write them; searches find them by words or by vectors.
import { sql } from "kysely";
import type { Queryable } from "../../kernel/database/database.ts";
import type { Passage } from "../text/split-text.ts";

/** Rows of one insert: PostgreSQL takes 65,535 parameters. */
const INSERT_ROWS = 500;
/** Maximum number of passages that a search ranks. A question of common words matches nearly all of them. */
const MAX_RANKED = 20_000;

export interface NewPassage extends Passage {
  fileId: string;
  fileName: string;
  /** Text search configuration. */
  language: string;
  vector: Int8Array | null;
}

/** Vectors of a build, one after the other, and the passages that they belong to. */
export interface BuildVectors {
  ids: Float64Array<ArrayBuffer>;
  vectors: Int8Array<ArrayBuffer>;
  dimensions: number;
}

export interface FoundPassage extends Passage {
  id: number;
  knowledgeBaseId: string;
  fileId: string;
  fileName: string;
}

/** Writes a build's passages. */
export async function insertPassages(
  database: Queryable,
  buildId: string,
  passages: readonly NewPassage[],
): Promise<void> {
  for (let start = 0; start < passages.length; start += INSERT_ROWS) {
    const rows = passages.slice(start, start + INSERT_ROWS).map((passage) => ({
      build_id: buildId,
      file_id: passage.fileId,
      file_name: passage.fileName,
      heading: passage.heading,
      text: passage.text,
      language: sql<string>`${passage.language}::regconfig`,
      embedding: passage.vector && Buffer.from(passage.vector.buffer, passage.vector.byteOffset, passage.vector.length),
    }));
    await database.insertInto("knowledge_passages").values(rows).execute();
  }
}

/** Deletes the passages of builds. */
export async function deletePassages(database: Queryable, buildIds: readonly string[]): Promise<void> {
  if (buildIds.length > 0) await database.deleteFrom("knowledge_passages").where("build_id", "in", buildIds).execute();
}

/** Vectors of a build's passages, in order, as many as fit into `maxBytes`. */
export async function listVectors(database: Queryable, buildId: string, maxBytes: number): Promise<BuildVectors> {
  const ofBuild = database
    .selectFrom("knowledge_passages")
    .where("build_id", "=", buildId)
    .where("embedding", "is not", null);
  const first = await ofBuild
    .select(sql<number>`octet_length(embedding)`.as("dimensions"))
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  const dimensions = first?.dimensions ?? 1;
  const rows = await ofBuild
    .select(["id", "embedding"])
    .where(sql<number>`octet_length(embedding)`, "=", dimensions)
    .orderBy("id")
    .limit(Math.floor(maxBytes / dimensions))
    .execute();
  const ids = Float64Array.from(rows, ({ id }) => id);
  const vectors = new Int8Array(rows.length * dimensions);
  for (const [row, { embedding }] of rows.entries()) {
    if (embedding) vectors.set(new Int8Array(embedding.buffer, embedding.byteOffset, dimensions), row * dimensions);
  }
  return { ids, vectors, dimensions };
}

/** Passages that contain any of a question's words, compared by stems, best first. Each passage is searched in its own
 *  language. */
export async function findByWords(
  database: Queryable,
  buildIds: readonly string[],
  question: string,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with languages as (
      select distinct language from knowledge_passages where build_id = any(${buildIds}::uuid[])
    ), questions as (
      select language, replace(plainto_tsquery(language, ${question})::text, ' & ', ' | ')::tsquery as words from languages
    ),
    matching as (
      select p.id, p.search, q.words from knowledge_passages p join questions q on q.language = p.language
      where p.build_id = any(${buildIds}::uuid[]) and p.search @@ q.words limit ${MAX_RANKED}
    )
    select id from matching order by ts_rank(search, words, 1) desc, id limit ${limit}`.execute(database);
  return rows.map(({ id }) => id);
}

/** Passages by id, in no order. */
export async function findPassages(database: Queryable, ids: readonly number[]): Promise<FoundPassage[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom("knowledge_passages as p")
    .innerJoin("knowledge_builds as b", "b.id", "p.build_id")
    .select(["p.id", "b.kb_id", "p.file_id", "p.file_name", "p.heading", "p.text"])
    .where("p.id", "in", ids)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    knowledgeBaseId: row.kb_id,
    fileId: row.file_id,
    fileName: row.file_name,
    heading: row.heading,
    text: row.text,
  }));
}
