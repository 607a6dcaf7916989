// Monitoring of the whole service: a real Prometheus has data for every panel of the dashboard and no reason for an
// alert, the documented metrics are those that the processes have, and a launch is one trace.
import { readFile } from "node:fs/promises";
import t, { type Test } from "tap";
import { type Collector, withCollector } from "../helpers/servers/with-collector.ts";
import {
  hasPrometheus,
  type PrometheusServer,
  untilPanelsHaveData,
  withPrometheus,
} from "../helpers/servers/with-prometheus.ts";
import { callRelay, findMetricsPorts, JOBS, serveSession } from "../helpers/service/monitored-service.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Panels that need a conversation or the neural voice. */
const WITHOUT_VALUE = ["Turns", "Pieces of the neural voice"];
const DOCUMENT = new URL("../../docs/operating/monitoring.md", import.meta.url);
/** Of the caller who launches. */
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER_SPAN_ID = "b7ad6b7169203331";
const skip = (await hasPrometheus()) ? false : "prometheus is not installed (Debian: apt-get install prometheus)";

/** Spans of a launch: name, name of the parent, kind (1 internal, 2 server, 4 producer, 5 consumer), and process. */
const TREE = [
  ["POST /launch", undefined, 2, "api"],
  ["session.admit", "POST /launch", 1, "api"],
  ["session.dispatch", "POST /launch", 4, "api"],
  ["session.await_worker", "POST /launch", 1, "api"],
  ["session.start", "session.dispatch", 5, "worker"],
  ["job.fetch", "session.start", 1, "worker"],
  ["process.wait", "session.start", 1, "worker"],
  ["avatar.open", "session.start", 1, "worker"],
  ["room.join", "session.start", 1, "worker"],
  ["tracks.publish", "session.start", 1, "worker"],
  ["video.first_frame", "session.start", 1, "worker"],
  ["audio.first_speech", "session.start", 1, "worker"],
] as const;

/** One launch is one trace, from the caller's span to the first frame and the first speech. */
async function checkTrace(t: Test, { spans, requests }: Collector, secrets: readonly string[]): Promise<void> {
  const trace = () => spans.filter(({ traceId }) => traceId === TRACE_ID);
  await waitFor(() => trace().length >= TREE.length, "the spans of the launch").catch(() => undefined);
  const nameOf = (id: string | undefined) => trace().find(({ spanId }) => spanId === id)?.name;
  t.same(
    trace()
      .map(({ name, parentSpanId, kind, resource }) => [name, nameOf(parentSpanId), kind, resource["avatar.process"]])
      .sort(),
    TREE.map((row) => [...row]).sort(),
  );
  const find = (name: string) => trace().find((span) => span.name === name)!;
  const request = find("POST /launch");
  const start = find("session.start");
  t.equal(request.parentSpanId, CALLER_SPAN_ID);
  t.equal(request.attributes["http.response.status_code"], 200);
  const order = ["POST /launch", "session.dispatch", "session.start", "tracks.publish", "video.first_frame"];
  for (const [index, name] of order.entries()) {
    const { startMs, endMs, isError } = find(name);
    t.ok(endMs >= startMs && endMs - startMs < 20_000 && !isError, name);
    if (index > 0) t.ok(startMs >= find(order[index - 1]).startMs - 5, `${name} begins after ${order[index - 1]}`);
  }
  t.equal(start.endMs, find("video.first_frame").endMs);
  t.equal(start.attributes["avatar.session.id"], request.attributes["avatar.session.id"]);
  const sent = requests.map(({ text }) => text).join();
  for (const secret of secrets) t.notOk(sent.includes(secret), "no secret, room name or speech is sent");
  t.notOk(
    spans.some(({ name }) => /beat|runtime\/workers|readyz/.test(name)),
    "what programs poll is not traced",
  );
}

/** Runs the job that makes an agent. */
async function makeAgent({ client }: TestStack): Promise<void> {
  await client.waitForAgent(await client.generateAgent({ prompt: "A guide", model: "essence-2" }), 120_000);
}

/** The names of metrics that a text has after `before`. */
function namesIn(text: string, before: string): Set<string> {
  return new Set([...text.matchAll(new RegExp(`${before}(avatar_\\w+)`, "gm"))].map(([, name]) => name));
}

/** The document has a row for each metric of each process, and no other. */
async function checkDocument(t: Test, targets: readonly string[]): Promise<void> {
  const documented = namesIn(await readFile(DOCUMENT, "utf8"), "^\\| `");
  const exported = new Set<string>();
  for (const target of targets) {
    const text = await (await fetch(`http://${target}/metrics`)).text();
    for (const name of namesIn(text, "^# TYPE ")) exported.add(name);
  }
  const missing = [...exported].filter((name) => !documented.has(name));
  t.same(missing, [], "metrics without documentation");
  const gone = [...documented].filter((name) => !exported.has(name));
  t.same(gone, [], "documented metrics that no process has");
}

t.test("every panel has data, no alert fires, and a launch is one trace", { skip, timeout: 240_000 }, async (t) => {
  const port = await findMetricsPorts();
  const targets = Object.fromEntries(JOBS.map((job, index) => [job, `127.0.0.1:${port + index}`]));
  const withServers = (work: (prometheus: PrometheusServer, collector: Collector) => Promise<void>) =>
    withPrometheus(targets, (prometheus) => withCollector((collector) => work(prometheus, collector)));
  await withServers((prometheus, collector) =>
    withStack(
      async (stack) => {
        // What happens before the first scrape of a process is a value to Prometheus, not an increase.
        const areScraped = async () => (await prometheus.query("sum(up)")).some(({ value }) => value === JOBS.length);
        await waitFor(areScraped, "a scrape of every process", 60_000);
        const [secrets] = await Promise.all([
          serveSession(stack, `00-${TRACE_ID}-${CALLER_SPAN_ID}-01`),
          serveSession(stack),
          callRelay(stack),
          makeAgent(stack),
        ]);
        await checkTrace(t, collector, secrets);
        const lacking = await untilPanelsHaveData(prometheus, { except: WITHOUT_VALUE });
        t.same(lacking, [], "panels without data");
        const rules = await prometheus.rules();
        t.ok(rules.length > 20);
        for (const { name, health, state, lastError } of rules) {
          t.match({ health, state }, { health: "ok", state: /inactive|pending/ }, `${name} ${lastError ?? ""}`);
        }
        await checkDocument(t, Object.values(targets));
      },
      { AVATAR_METRICS_PORT: String(port), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    ),
  );
});
