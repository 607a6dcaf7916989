// A real Prometheus server with the project's own configuration and rules, for the length of a callback.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { ROWS } from "../../../lab/dashboard/panels.ts";
import { waitFor } from "../wait-for.ts";

export const MONITORING = fileURLToPath(new URL("../../../deploy/monitoring/", import.meta.url));

export interface Sample {
  metric: Record<string, string>;
  value: number;
}

export interface PrometheusServer {
  baseUrl: string;
  /** The series of an instant query. Throws if the server refuses it. */
  query(promql: string): Promise<Sample[]>;
  /** All rules with their state. */
  rules(): Promise<{ name: string; health: string; state: string; lastError?: string }[]>;
}

/** Starts it for processes at these addresses, by job name, scraped every `intervalS`. */
export async function withPrometheus<T>(
  targets: Readonly<Record<string, string>>,
  work: (server: PrometheusServer) => Promise<T>,
  { intervalS = 1, rules = true } = {},
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "prometheus-"));
  const config = parse(await readFile(join(MONITORING, "prometheus.yml"), "utf8"));
  for (const scrape of config.scrape_configs) scrape.static_configs = [{ targets: [targets[scrape.job_name]] }];
  config.global = {
    scrape_interval: `${intervalS}s`,
    scrape_timeout: `${intervalS}s`,
    evaluation_interval: `${intervalS}s`,
  };
  if (!rules) config.rule_files = [];
  await writeFile(join(folder, "prometheus.yml"), stringify(config));
  await cp(join(MONITORING, "alerts.yml"), join(folder, "alerts.yml"));
  const port = await findFreePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const ended = once(child, "exit");
  const baseUrl = `http://127.0.0.1:${port}`;
  const ask = async (path: string, fields?: Record<string, string>) => {
    const body = fields && new URLSearchParams(fields);
    const response = await fetch(baseUrl + path, { method: body ? "POST" : "GET", body });
    const answer = await response.json();
    if (answer.status !== "success") throw new Error(`${fields?.query}: ${answer.error}`);
    return answer.data;
  };
  try {
    const isReady = () =>
      fetch(`${baseUrl}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await waitFor(isReady, "Prometheus is ready");
    return await work({
      baseUrl,
      async query(promql) {
        const { result } = await ask("/api/v1/query", { query: promql });
        return result.map((series: { metric: Record<string, string>; value: [number, string] }) => ({
          metric: series.metric,
          value: Number(series.value[1]),
        }));
      },
      async rules() {
        const { groups } = await ask("/api/v1/rules");
        return groups.flatMap((group: { rules: object[] }) => group.rules);
      },
    });
  } finally {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until every panel of the dashboard, except those of these titles, has data: each of its queries has a series
 *  with a number. Returns the titles of those that still have none after `timeoutMs`. */
export async function untilPanelsHaveData(
  { query }: Pick<PrometheusServer, "query">,
  { except = [], timeoutMs = 12_000 }: { except?: readonly string[]; timeoutMs?: number } = {},
): Promise<string[]> {
  let lacking = ROWS.flatMap((row) => row.panels).filter(({ title }) => !except.includes(title));
  const look = async (): Promise<boolean> => {
    const left = await Promise.all(
      lacking.map(async (panel) => {
        const results = await Promise.all(
          panel.queries.map(({ promql }) => query(promql.replaceAll("$__rate_interval", "1m"))),
        );
        return results.every((samples) => samples.some(({ value }) => Number.isFinite(value))) ? [] : [panel];
      }),
    );
    lacking = left.flat();
    return lacking.length === 0;
  };
  await waitFor(look, "data for every panel", timeoutMs).catch(() => undefined);
  return lacking.map(({ title }) => title);
}

/** Whether the program is installed; `.ci/run` installs it. */
export async function hasPrometheus(): Promise<boolean> {
  const child = spawn("prometheus", ["--version"], { stdio: "ignore" });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (status) => resolve(status === 0));
  });
}
