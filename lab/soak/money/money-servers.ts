// The money soak on a PostgreSQL server of its own.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase } from "../../../api/kernel/database/database.ts";
import { migrate } from "../../../api/kernel/database/migrate.ts";
import { MIGRATIONS } from "../../../api/migrations/migrations.ts";
import { startEmbeddedPostgres } from "../../../cli/start/postgres/embedded-postgres.ts";
import { createLogger } from "../../../program/log.ts";
import { soakMoney } from "./money-soak.ts";

type MoneySoakOptions = Parameters<typeof soakMoney>[0];

/** Runs the soak on a new database, which is removed afterwards, also on SIGINT and SIGTERM. */
export async function soakMoneyOnServers(
  options: Omit<MoneySoakOptions, "databaseUrl" | "dataDir">,
): ReturnType<typeof soakMoney> {
  const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-soak-"));
  // The server may have to run as another user, who must get in.
  await chmod(dataDir, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir, settings: { max_connections: "300" } });
  const cleanUp = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    // The api processes go with this one; the server is a daemon.
    process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
  }
  try {
    const logger = createLogger({ level: "silent", name: "soak" });
    const database = createDatabase({ url: postgres.url, logger, maxConnections: 1 });
    await migrate(database, MIGRATIONS);
    await database.destroy();
    return await soakMoney({ ...options, databaseUrl: postgres.url, dataDir });
  } finally {
    await cleanUp();
  }
}
