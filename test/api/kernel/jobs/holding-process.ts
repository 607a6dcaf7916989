// Takes one job, says so, and holds it until it is killed.
import { createPool } from "../../../../api/kernel/database/database.ts";
import { createJobRunner } from "../../../../api/kernel/jobs/job-runner.ts";
import { createLogger } from "../../../../program/log.ts";

const logger = createLogger({ name: "holding-process", level: "silent" });
const runner = createJobRunner({
  pool: createPool({ url: process.argv[2], logger }),
  kinds: [
    {
      name: "hold",
      concurrency: 1,
      run() {
        process.send?.("holding");
        return new Promise(() => undefined);
      },
    },
  ],
  logger,
});
await runner.start();
// A parent that ends takes this process along.
process.once("disconnect", () => process.exit(1));
