// An api without a port that runs jobs until it is killed. Its bakes never end.
import { createApi } from "../../../api/create-api.ts";
import { createPool } from "../../../api/kernel/database/database.ts";
import { parseConfig } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import { goldenBaker } from "../../helpers/faces/golden-baker.ts";

const [url, dataDir] = process.argv.slice(2);
const logger = createLogger({ name: "job-process", level: "silent" });
const api = await createApi({
  config: parseConfig({ AVATAR_DATA_DIR: dataDir }),
  pool: createPool({ url, logger }),
  livekit: { url: "ws://127.0.0.1:9", apiKey: "none", apiSecret: "no-server-no-server-no-server-no-server" },
  logger,
  baker: {
    ...goldenBaker(),
    bake(_input, onProgress) {
      onProgress?.(0.5);
      return new Promise(() => undefined);
    },
  },
});
await api.start();
// A parent that ends takes this process along.
process.once("disconnect", () => process.exit(1));
