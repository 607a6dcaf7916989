// The PostgreSQL server that test files share.
import { startEmbeddedPostgres } from "../../../cli/start/postgres/embedded-postgres.ts";
import { acquireServer, type SharedServer } from "./shared-server.ts";

export const POSTGRES = "postgres";

/** Starts or adopts it; `access` is the URL of a user who may create databases. */
export function acquirePostgres(): Promise<SharedServer<string>> {
  return acquireServer(POSTGRES, async (dataDir) => {
    const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off", max_connections: "300" } });
    return { access: server.adminUrl, stop: () => server.stop() };
  });
}
