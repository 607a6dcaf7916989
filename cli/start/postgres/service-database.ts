// The service's database for a command: DATABASE_URL, or the embedded server of the data folder, which is started for
// the duration if the service does not run.
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import type pg from "pg";
import { createPool } from "../../../api/kernel/database/database.ts";
import type { Config } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { makeDataFolder } from "../data-folder.ts";
import { checkDatabase } from "../service/given-servers.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";

/** Runs `work` with connections to the database. `mayCreate`: an embedded database that does not exist is created;
 *  otherwise that is a CliError `unavailable`. */
export async function withServiceDatabase<T>(
  { database, disk }: Pick<Config, "database" | "disk">,
  { mayCreate }: { mayCreate: boolean },
  work: (pool: pg.Pool) => Promise<T>,
): Promise<T> {
  const server = database.url ? null : await openEmbedded(resolve(disk.dataDir), mayCreate);
  const url = database.url ?? server?.url ?? "";
  try {
    if (!server) await checkDatabase(url);
    const pool = createPool({ url, logger: createLogger({ level: "silent", name: "avatar" }), maxConnections: 2 });
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  } finally {
    if (server && !server.isAdopted) await server.stop();
  }
}

async function openEmbedded(dataDir: string, mayCreate: boolean) {
  const exists = await access(join(dataDir, "postgres.env")).then(
    () => true,
    () => false,
  );
  if (!exists && !mayCreate) {
    throw new CliError("unavailable", `No database found: DATABASE_URL is not set, and ${dataDir} contains none.`, {
      hint: "Name the data folder of the service in AVATAR_DATA_DIR, or set DATABASE_URL.",
    });
  }
  if (mayCreate) await makeDataFolder(dataDir);
  return startEmbeddedPostgres({ dataDir });
}
