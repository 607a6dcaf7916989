// Migrations run once, all or nothing, also with concurrent processes, and never on a newer schema.
import { sql } from "kysely";
import t from "tap";
import { createDatabase } from "../../../../api/kernel/database/database.ts";
import { migrate, SchemaTooNewError } from "../../../../api/kernel/database/migrate.ts";
import type { Migration } from "../../../../api/kernel/database/migration.ts";
import { MIGRATIONS } from "../../../../api/migrations/migrations.ts";
import { createLogger } from "../../../../program/log.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";

const next = (name: string, statement: string): Migration => ({
  name,
  async up(transaction) {
    await sql.raw(statement).execute(transaction);
  },
});

t.test("migrations are numbered in order, and a second run does nothing", async (t) => {
  const names = MIGRATIONS.map(({ name }) => name);
  t.same(names, [...names].sort());
  for (const name of names) t.match(name, /^\d{4}-[a-z-]+$/);
  await withDatabase(async ({ database }) => t.same(await migrate(database, MIGRATIONS), []));
});

t.test("processes that start at the same time apply a migration once", async (t) => {
  await withDatabase(async ({ url }) => {
    const logger = createLogger({ level: "silent", name: "test" });
    const databases = [1, 2, 3, 4].map(() => createDatabase({ url, logger, maxConnections: 1 }));
    const migrations = [...MIGRATIONS, next("9000-more", "create table more (id int)")];
    const applied = await Promise.all(databases.map((database) => migrate(database, migrations)));
    t.same(applied.flat(), ["9000-more"]);
    await t.rejects(migrate(databases[0], MIGRATIONS), SchemaTooNewError, "an older version refuses the newer schema");
    await Promise.all(databases.map((database) => database.destroy()));
  });
});

t.test("a migration that fails is rolled back together with the earlier ones of the same run", async (t) => {
  await withDatabase(async ({ database }) => {
    const good = next("9000-good", "create table good (id int)");
    const bad = next("9001-bad", "create table good (id int)");
    await t.rejects(migrate(database, [...MIGRATIONS, good, bad]), /already exists/);
    t.same(await migrate(database, [...MIGRATIONS, good]), ["9000-good"]);
  });
});
