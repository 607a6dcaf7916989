// The role with which the service uses its embedded database: owner of that database, without rights on the server.
import type pg from "pg";

/** Name of the role and of its database. */
export const SERVICE_ROLE = "avatar";

/** Objects of the database that are not the role's yet, as statements that hand them over. Sequences of a column follow
 *  their table; objects of extensions stay. */
const OWNERSHIP_STATEMENTS = `
  select format('alter %s %s owner to ${SERVICE_ROLE}', kind, name) as statement from (
    select 'schema' as kind, quote_ident(nspname) as name, oid, 'pg_namespace'::regclass as catalogue
      from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
    union all
    select case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
           oid::regclass::text, oid, 'pg_class'::regclass
      from pg_class where relkind in ('r', 'p', 'v', 'm', 'S') and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
    union all
    select case prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end,
           oid::regprocedure::text, oid, 'pg_proc'::regclass
      from pg_proc where pronamespace::regnamespace::text !~ '^(pg_|information_schema)'
    union all
    select 'type', oid::regtype::text, oid, 'pg_type'::regclass
      from pg_type where typtype in ('e', 'd') and typnamespace::regnamespace::text !~ '^(pg_|information_schema)'
  ) as object
  where not exists (
    select from pg_depend where classid = catalogue and objid = object.oid and deptype in ('a', 'i', 'e')
  )`;

/** Creates the role, or gives it this password. The client is connected as superuser. */
export async function ensureServiceRole(client: pg.Client, password: string): Promise<void> {
  const { rowCount } = await client.query("select from pg_roles where rolname = $1", [SERVICE_ROLE]);
  await client.query(
    `${rowCount === 0 ? "create" : "alter"} role ${SERVICE_ROLE} with login nosuperuser nocreatedb nocreaterole
     password ${client.escapeLiteral(password)}`,
  );
}

/** Makes the role the owner of the database that the client, a superuser, is connected to, and of all that lies in it:
 *  earlier versions created everything as superuser. In one transaction; does nothing once it is done. */
export async function ensureOwnership(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ is_owner: boolean }>(
    "select datdba = $1::regrole as is_owner from pg_database where datname = current_database()",
    [SERVICE_ROLE],
  );
  if (rows[0].is_owner) return;
  await client.query("begin");
  const { rows: objects } = await client.query<{ statement: string }>(OWNERSHIP_STATEMENTS);
  for (const { statement } of objects) await client.query(statement);
  await client.query(`alter database ${SERVICE_ROLE} owner to ${SERVICE_ROLE}`);
  await client.query("commit");
}
