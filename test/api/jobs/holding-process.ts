// Takes one job, says so, and holds it until it is killed.
import pg from "pg";
import { createJobRunner } from "../../../api/jobs/job-runner.ts";
import { createLogger } from "../../../shared/log.ts";

const runner = createJobRunner({
  pool: new pg.Pool({ connectionString: process.argv[2] }),
  kinds: [
    {
      name: "hold",
      run() {
        process.send?.("holding");
        return new Promise(() => undefined);
      },
    },
  ],
  concurrency: 1,
  logger: createLogger({ name: "holding-process", level: "silent" }),
});
await runner.start();
// A parent that ends takes this process along.
process.once("disconnect", () => process.exit(1));
