// Statements of the query builder are prepared, and stay right while another process changes the tables.
import { sql } from "kysely";
import t from "tap";
import { withDatabase } from "../../../helpers/servers/with-database.ts";

/** Texts that the connection has prepared and that hold `part`. */
const prepared = (part: string) => sql<{ name: string }>`
  select name from pg_prepared_statements where position(${part} in statement) > 0 and name like 'q\\_%'`;

t.test("a statement with parameters is prepared once per connection", async (t) => {
  await withDatabase(async ({ database }) => {
    await database.connection().execute(async (connection) => {
      const find = (email: string) =>
        connection.selectFrom("accounts").select("user_id").where("email", "=", email).execute();
      t.same(await find("a@b.test"), []);
      t.same(await find("c@b.test"), []);
      const { rows } = await prepared(`from "accounts" where "email"`).execute(connection);
      t.equal(rows.length, 1);
    });
  });
});

t.test("a column that another process adds does not break a statement that selects all columns", async (t) => {
  await withDatabase(async ({ database, pool }) => {
    await database.connection().execute(async (connection) => {
      const find = () => connection.selectFrom("accounts").selectAll().where("email", "=", "a@b.test").execute();
      const name = () => connection.selectFrom("accounts").select("email").where("email", "=", "a@b.test").execute();
      // PostgreSQL keeps a plan from the sixth time on.
      for (let time = 0; time < 6; time++) await Promise.all([find(), name()]);
      await pool.query("alter table accounts add column added text");
      t.same(await find(), []);
      t.same(await name(), []);
    });
  });
});

t.test(
  "a text without parameters may contain several statements, and the number of prepared statements is limited",
  async (t) => {
    await withDatabase(async ({ database }) => {
      await database.connection().execute(async (connection) => {
        await sql`create temp table one (n int); create temp table two (n int)`.execute(connection);
        for (let count = 1; count <= 230; count++) {
          const values = Array.from({ length: count }, (_, index) => String(index));
          await connection.selectFrom("accounts").select("user_id").where("email", "in", values).execute();
        }
        const { rows } = await prepared(`from "accounts" where "email" in`).execute(connection);
        t.ok(rows.length > 100 && rows.length <= 200, `${rows.length} of 230 are prepared`);
      });
    });
  },
);
