// The pool as the query builder sees it: statements are prepared, so that PostgreSQL parses and plans each once per
// connection instead of every time.
import { createHash } from "node:crypto";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import type pg from "pg";

/** Most texts that are prepared; further ones are sent unprepared. Each costs every connection some 20 kB, and there
 *  is no end of texts with lists of varying length. */
const MAX_STATEMENTS = 200;

/** Wraps `pool` for the query builder. */
export function preparePool(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();

  function nameOf(text: string): string | undefined {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_STATEMENTS || !isLasting(text)) return known;
    // The same in every process: a pooler between may share connections.
    const name = `q_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
    names.set(text, name);
    return name;
  }

  return {
    async connect() {
      const client = await pool.connect();
      let prepared = clients.get(client);
      if (!prepared) {
        prepared = prepareClient(client, nameOf);
        clients.set(client, prepared);
      }
      return prepared;
    },
    end: () => pool.end(),
  };
}

function prepareClient(client: pg.PoolClient, nameOf: (text: string) => string | undefined): PostgresPoolClient {
  const query = (text: string, values: unknown[]) =>
    // A text without parameters may hold several statements, which cannot be prepared.
    client.query(values.length === 0 ? { text } : { name: nameOf(text), text, values });
  // kysely passes a cursor only to a dialect that was created with one.
  return { query: query as unknown as PostgresPoolClient["query"], release: () => client.release() };
}

/** Whether a prepared text works on while a newer process migrates the database. One with `*` does not: PostgreSQL
 *  refuses to run a plan whose columns have changed. The text is the only thing that tells: the driver gets no more
 *  than text and values from kysely. */
function isLasting(text: string): boolean {
  return !text.replaceAll("count(*)", "").includes("*");
}
