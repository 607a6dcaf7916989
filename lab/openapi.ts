// Writes `api/openapi.json` from the route declarations, and `sdk/client/generated/` from it. Run it after changing a
// route (`npm run openapi`): tests compare them. Building the api needs a database, so the script starts an empty one.
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createApi } from "../api/create-api.ts";
import { createDatabase, createPool } from "../api/kernel/database/database.ts";
import { migrate } from "../api/kernel/database/migrate.ts";
import { MIGRATIONS } from "../api/migrations/migrations.ts";
import { startEmbeddedPostgres } from "../cli/start/postgres/embedded-postgres.ts";
import { parseConfig } from "../program/config.ts";
import { createLogger } from "../program/log.ts";
import { generateClient } from "./client/generate-client.ts";

const CLIENT = fileURLToPath(new URL("../sdk/client/generated/", import.meta.url));
const OUTPUT = fileURLToPath(new URL("../api/openapi.json", import.meta.url));

const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-openapi-"));
// PostgreSQL may run as another user, who needs access.
await chmod(dataDir, 0o755);
const postgres = await startEmbeddedPostgres({ dataDir });
const logger = createLogger({ level: "error", name: "openapi" });
const pool = createPool({ url: postgres.url, logger });
try {
  await migrate(createDatabase(pool), MIGRATIONS);
  const livekit = { url: "ws://127.0.0.1:7880", apiKey: "unused", apiSecret: "unused" };
  const api = await createApi({ config: parseConfig({ AVATAR_DATA_DIR: dataDir }), pool, livekit, logger });
  const text = JSON.stringify(api.describe(), null, 2);
  await writeFile(OUTPUT, `${text}\n`);
  for (const [name, content] of Object.entries(await generateClient(JSON.parse(text)))) {
    await writeFile(join(CLIENT, name), content);
  }
  await api.close();
  process.stdout.write("Wrote api/openapi.json and sdk/client/generated\n");
} finally {
  await pool.end();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
