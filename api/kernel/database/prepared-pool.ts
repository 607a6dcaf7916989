// Wraps the pool for the query builder, so that statements are prepared: PostgreSQL parses and plans each statement
// once per connection.
import { createHash } from "node:crypto";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import type pg from "pg";

/** Largest number of prepared texts; further texts are sent unprepared. Each one costs every connection about 20 kB,
 *  and lists of varying length produce an unbounded number of texts. */
const MAX_STATEMENTS = 200;

/** Wraps `pool` for the query builder. */
export function preparePool(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();

  function nameOf(text: string): string | undefined {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_STATEMENTS || !isLasting(text)) return known;
    // The same in every process, because a connection pooler may share connections between processes.
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

/** Whether a prepared text stays valid while a newer process migrates the database. A text with `*` does not:
 *  PostgreSQL refuses to run a plan with changed columns. The check reads the text, because kysely gives the
 *  driver only text and values. */
function isLasting(text: string): boolean {
  return !text.replaceAll("count(*)", "").includes("*");
}
