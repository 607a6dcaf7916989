// The dashboard and the alerts as files: the dashboard is what its panels say, and each alert says what to do and has
// a test.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { parse } from "yaml";
import { buildDashboard } from "../../lab/dashboard/build-dashboard.ts";
import { ROWS } from "../../lab/dashboard/panels.ts";
import { hasPrometheus, MONITORING } from "../helpers/servers/with-prometheus.ts";

const skip = (await hasPrometheus()) ? false : "prometheus is not installed (Debian: apt-get install prometheus)";

const read = (name: string) => readFile(join(MONITORING, name), "utf8");

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; action: string };
}

async function readAlerts(): Promise<Alert[]> {
  const { groups } = parse(await read("alerts.yml")) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

interface GridPlace {
  x: number;
  y: number;
  w: number;
  h: number;
}

t.test("the dashboard is written from its panels, none of which overlap", async (t) => {
  const text = await read("grafana/dashboard.json");
  t.same(JSON.parse(text), buildDashboard(), "run npm run dashboard");
  const { panels } = JSON.parse(text) as { panels: { id: number; title: string; gridPos: GridPlace }[] };
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, "ids are unique");
  t.equal(new Set(panels.map(({ title }) => title)).size, panels.length, "titles are unique");
  const cells = new Set<string>();
  for (const { title, gridPos } of panels) {
    t.ok(gridPos.x + gridPos.w <= 24, title);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        t.notOk(cells.has(`${x},${y}`), `${title} is over another panel`);
        cells.add(`${x},${y}`);
      }
    }
  }
});

t.test("gauges of the whole service are not summed over api processes", async (t) => {
  const queries = ROWS.flatMap(({ panels }) => panels.flatMap((panel) => panel.queries.map(({ promql }) => promql)));
  const rules = (await readAlerts()).map(({ expr }) => expr);
  for (const promql of [...queries, ...rules]) {
    if (promql.includes("avatar_service_"))
      t.match(promql, /max( by \([a-z, ]+\))? ?\((rate\()?(delta\()?avatar_service_/, promql);
  }
});

t.test("each alert has a severity, says what to do, and is tested", async (t) => {
  const alerts = await readAlerts();
  const { tests } = parse(await read("alerts.test.yml")) as { tests: { name: string }[] };
  t.same(tests.map(({ name }) => name).sort(), alerts.map(({ alert }) => alert).sort());
  for (const { alert, labels, annotations } of alerts) {
    t.match(labels.severity, /^(page|ticket)$/, alert);
    t.match(annotations.summary, /^\S.{10,}[^.]$/, alert);
    t.match(annotations.action, /^\S.{30,}\.$/, alert);
  }
});

t.test("Prometheus accepts the files, and every alert is quiet first and then fires", { skip }, async (t) => {
  const promtool = (...args: string[]) => promisify(execFile)("promtool", args, { cwd: MONITORING });
  for (const config of ["prometheus.yml", "prometheus.compose.yml"]) await promtool("check", "config", config);
  const { stdout } = await promtool("test", "rules", "alerts.test.yml");
  t.match(stdout, /SUCCESS/);
});
