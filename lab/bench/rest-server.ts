// Process of the control plane benchmark: the api, and a minimal handler on the same connection pool. The parent
// controls it by messages; it ends with the parent.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import type { Pool } from "pg";
import { createApi } from "../../api/create-api.ts";
import { createPool } from "../../api/kernel/database/database.ts";
import { parseConfig } from "../../program/config.ts";
import { createLogger } from "../../program/log.ts";

/** Sent once, when both accept connections. */
export interface RestServerReady {
  apiUrl: string;
  bareUrl: string;
}

/** The answer to any message of the parent: CPU time of this process so far, in ms. */
export interface RestServerCpu {
  cpuMs: number;
}

/** A handler that answers with one row by its primary key. */
function createBareApp(pool: Pool): Koa {
  const app = new Koa();
  app.use(async (context) => {
    const { rows } = await pool.query("select user_id, email, plan from accounts where user_id = $1", [
      context.path.slice(1),
    ]);
    context.body = rows[0];
  });
  return app;
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const [databaseUrl, dataDir] = process.argv.slice(2);
const logger = createLogger({ name: "bench", level: "silent" });
const pool = createPool({ url: databaseUrl, logger });
const api = await createApi({
  config: parseConfig({ AVATAR_DATA_DIR: dataDir, AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" }),
  pool,
  livekit: { url: "ws://127.0.0.1:9", apiKey: "none", apiSecret: "none".repeat(8) },
  logger,
});
await api.start();
const ready: RestServerReady = {
  apiUrl: await listen(api.app.callback()),
  bareUrl: await listen(createBareApp(pool).callback()),
};
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000 } satisfies RestServerCpu);
});
process.once("disconnect", () => process.exit(0));
process.send?.(ready);
