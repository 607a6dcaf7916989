// An api without a port that sends waiting deliveries until it is killed.
import { createApi } from "../../../api/create-api.ts";
import { createPool } from "../../../api/kernel/database/database.ts";
import { parseConfig } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";

const [url, dataDir] = process.argv.slice(2);
const logger = createLogger({ name: "delivering-process", level: "silent" });
const api = await createApi({
  config: parseConfig({ AVATAR_DATA_DIR: dataDir, AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" }),
  pool: createPool({ url, logger }),
  livekit: { url: "ws://127.0.0.1:9", apiKey: "none", apiSecret: "no-server-no-server-no-server-no-server" },
  logger,
});
await api.start();
// A parent that ends takes this process along.
process.once("disconnect", () => process.exit(1));
