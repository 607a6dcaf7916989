// The listener for metrics: serves them alone, and names the address that it cannot take.
import { Counter, Registry } from "prom-client";
import t from "tap";
import { createLogger } from "../../../program/log.ts";
import { MetricsServer, startMetricsServer } from "../../../program/telemetry/metrics-server.ts";

const logger = createLogger({ level: "silent", name: "test" });

t.test("it serves GET /metrics and nothing else", async (t) => {
  const metrics = new Registry();
  new Counter({ name: "requests_total", help: "Requests", registers: [metrics] }).inc(2);
  const server = new MetricsServer({ metrics, host: "127.0.0.1", port: 0, logger });
  const port = await server.start();
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${url}/metrics`);
  t.equal(answer.headers.get("content-type"), metrics.contentType);
  t.match(await answer.text(), /^requests_total 2$/m);
  t.equal((await fetch(`${url}/metrics?name=x`)).status, 200);
  for (const path of ["/", "/v1/avatar-sessions", "/metrics/"]) t.equal((await fetch(url + path)).status, 404, path);
  t.equal((await fetch(`${url}/metrics`, { method: "POST" })).status, 404);
  const second = new MetricsServer({ metrics, host: "127.0.0.1", port, logger });
  await t.rejects(second.start(), { code: "EADDRINUSE" });
});

t.test("metrics that cannot be read are answered with 500, and the process goes on", async (t) => {
  const metrics = { contentType: "text/plain", metrics: () => Promise.reject(new Error("broken")) };
  const server = new MetricsServer({ metrics, host: "127.0.0.1", port: 0, logger });
  t.teardown(() => server.close());
  t.equal((await fetch(`http://127.0.0.1:${await server.start()}/metrics`)).status, 500);
});

t.test("without a port in the settings nothing listens", async (t) => {
  const settings = { host: "127.0.0.1", port: undefined };
  t.equal(await startMetricsServer(settings, new Registry(), logger), null);
});
