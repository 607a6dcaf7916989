import pg from "pg";
import t from "tap";
import { createPool } from "../../../../api/kernel/database/database.ts";
import { createLogger } from "../../../../program/log.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

await t.test("a connection that breaks between two queries fails the second query, not the process", (t) =>
  withDatabase(async ({ url }) => {
    const pool = createPool({ url, logger: createLogger({ level: "silent", name: "test" }) });
    const holder = await pool.connect();
    const { pid } = (await holder.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0];
    let closed = false;
    holder.once("end", () => {
      closed = true;
    });

    const outside = new pg.Client({ connectionString: url });
    await outside.connect();
    await outside.query("select pg_terminate_backend($1)", [pid]);
    await outside.end();
    await waitFor(async () => closed, "the connection to break");

    await t.rejects(holder.query("select 1"), /not queryable|terminated/);
    holder.release(true);
    t.same((await pool.query("select 1 as one")).rows, [{ one: 1 }], "the pool connects anew");
    await pool.end();
  }),
);
