// The tables of a database that belong into a backup, and their columns, as the database itself lists them.
import type { ClientBase } from "pg";

export interface CataloguedTable {
  name: string;
  /** Without generated ones. */
  columns: string[];
}

/** Which processes are there now, and what was migrated: a restored service finds out by itself. */
const LEFT_OUT = ["schema_migrations", "avatar_workers", "realtime_relays"];

/** Tables in an order in which their rows can be inserted: each comes after those that it refers to. Tables without
 *  durability (rate limits) are left out. */
export async function listTables(client: ClientBase): Promise<CataloguedTable[]> {
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `select c.relname as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> all($1)
     order by c.relname, a.attnum`,
    [LEFT_OUT],
  );
  const { rows: references } = await client.query<{ table: string; to: string }>(
    `select c.relname as table, r.relname as to
     from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class r on r.oid = f.confrelid
     where f.contype = 'f' and c.relnamespace = current_schema()::regnamespace and c.oid <> r.oid`,
  );
  const tables = new Map<string, CataloguedTable>();
  for (const { table: name, column } of columns) {
    const table = tables.get(name) ?? { name, columns: [] };
    tables.set(name, table);
    table.columns.push(column);
  }
  return inOrder(tables, references);
}

function inOrder(
  tables: ReadonlyMap<string, CataloguedTable>,
  references: readonly { table: string; to: string }[],
): CataloguedTable[] {
  const ordered = new Set<CataloguedTable>();
  const visit = (name: string, path: readonly string[]): void => {
    const table = tables.get(name);
    if (!table || ordered.has(table)) return;
    if (path.includes(name)) throw new Error(`tables refer to each other in a circle: ${[...path, name].join(" > ")}`);
    for (const reference of references) if (reference.table === name) visit(reference.to, [...path, name]);
    ordered.add(table);
  };
  for (const name of tables.keys()) visit(name, []);
  return [...ordered];
}

/** Columns of a table as part of a COPY statement. */
export function columnList(columns: readonly string[]): string {
  return `(${columns.map(quoteName).join(", ")})`;
}

/** A name as part of a statement. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
