// Writes `deploy/monitoring/grafana/dashboard.json` from `dashboard/panels.ts`. Run it after changing a panel
// (`npm run dashboard`): a test compares the two.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildDashboard } from "./dashboard/build-dashboard.ts";

const OUTPUT = fileURLToPath(new URL("../deploy/monitoring/grafana/dashboard.json", import.meta.url));

await writeFile(OUTPUT, `${JSON.stringify(buildDashboard(), null, 2)}\n`);
process.stdout.write("Wrote deploy/monitoring/grafana/dashboard.json\n");
