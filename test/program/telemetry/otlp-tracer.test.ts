// Traces: what reaches a collector, which traces are recorded, and that a collector which is away costs spans alone.
import t from "tap";
import { parseConfig } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import { openTracer } from "../../../program/telemetry/open-tracer.ts";
import { OtlpTracer, type OtlpTracerOptions } from "../../../program/telemetry/otlp-tracer.ts";
import { formatTraceparent, parseTraceparent } from "../../../program/telemetry/trace-context.ts";
import { NO_TRACER, withSpan } from "../../../program/telemetry/tracer.ts";
import { withCollector } from "../../helpers/servers/with-collector.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const silent = createLogger({ level: "silent", name: "test" });
const TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

function options(url: string, more: Partial<OtlpTracerOptions> = {}): OtlpTracerOptions {
  return {
    url,
    headers: {},
    timeoutMs: 1_000,
    resource: { "service.name": "test" },
    sampler: "parentbased_always_on",
    ratio: 1,
    logger: silent,
    intervalMs: 10,
    ...more,
  };
}

t.test("traceparent is read as W3C writes it, and anything else is no context", async (t) => {
  const context = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", isSampled: true };
  t.same(parseTraceparent(TRACEPARENT), context);
  t.equal(formatTraceparent(context), TRACEPARENT);
  t.match(parseTraceparent(TRACEPARENT.replace(/01$/, "00")), { isSampled: false });
  t.match(parseTraceparent(TRACEPARENT.replace(/^00/, "cc").concat("-more")), context, "of a later version");
  const zeros = (digits: number) => "0".repeat(digits);
  for (const wrong of [
    undefined,
    ["a", "b"],
    "",
    "00-x",
    TRACEPARENT.replace(/^00/, "ff"),
    TRACEPARENT.toUpperCase(),
    `00-${zeros(32)}-b7ad6b7169203331-01`,
    `00-0af7651916cd43dd8448eb211c80319c-${zeros(16)}-01`,
    `${TRACEPARENT}-${"x".repeat(500)}`,
  ]) {
    t.equal(parseTraceparent(wrong), undefined, String(wrong).slice(0, 60));
  }
});

t.test("spans reach the collector with their parents, times and attributes", async (t) => {
  await withCollector(async (collector) => {
    const config = parseConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20key,x-other=2",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    });
    const tracer = await openTracer(config.traces, "api", silent);
    const root = tracer.start("root", {
      parent: parseTraceparent(TRACEPARENT),
      kind: "server",
      startMs: 1_700_000_000_000.5,
    });
    const child = tracer.start("child", { parent: root.context, startMs: 1_700_000_000_001 });
    child.set({ text: "a", number: 3, share: 0.5, is: true, none: undefined });
    child.end(1_700_000_000_002);
    child.end(1_800_000_000_000);
    await t.rejects(
      withSpan(
        tracer.start("broken", { parent: root.context }),
        () => Promise.reject(new Error("secret")),
        () => "CODE",
      ),
      /secret/,
    );
    root.end(1_700_000_000_010);
    await tracer.close();
    const [childSpan, broken, rootSpan] = collector.spans;
    t.match(rootSpan, {
      traceId: "0af7651916cd43dd8448eb211c80319c",
      parentSpanId: "b7ad6b7169203331",
      kind: 2,
      startMs: 1_700_000_000_000.5,
      endMs: 1_700_000_000_010,
      resource: { "service.name": "avatar-api", "avatar.process": "api", "deployment.environment.name": "test" },
    });
    t.match(childSpan, { traceId: rootSpan.traceId, parentSpanId: rootSpan.spanId, endMs: 1_700_000_000_002 });
    t.same(childSpan.attributes, { text: "a", number: 3, share: 0.5, is: true });
    t.match(broken, { isError: true, attributes: { "error.type": "CODE" } });
    const [request] = collector.requests;
    t.match(request, { path: "/v1/traces", headers: { "x-key": "a key", "x-other": "2" } });
    t.notMatch(request.text, "secret", "no message of an error is sent");
  });
});

t.test("samplers decide as OpenTelemetry names them", async (t) => {
  await withCollector(async (collector) => {
    const share = (sampler: OtlpTracerOptions["sampler"], ratio: number, isParentSampled?: boolean) => {
      const tracer = new OtlpTracer(options(collector.url, { sampler, ratio }));
      const parent =
        isParentSampled === undefined ? undefined : { ...parseTraceparent(TRACEPARENT)!, isSampled: isParentSampled };
      const spans = Array.from({ length: 1_000 }, () => tracer.start("x", { parent }));
      return spans.filter(({ context }) => context?.isSampled).length / spans.length;
    };
    t.equal(share("always_on", 1), 1);
    t.equal(share("always_off", 1), 0);
    t.ok(Math.abs(share("traceidratio", 0.3) - 0.3) < 0.08);
    t.ok(Math.abs(share("parentbased_traceidratio", 0.3) - 0.3) < 0.08, "without a parent");
    t.equal(share("parentbased_always_off", 1, true), 1, "a sampled parent");
    t.equal(share("parentbased_always_on", 1, false), 0, "a parent that is not");
    const off = new OtlpTracer(options(collector.url, { sampler: "always_off" }));
    off.start("unseen").end();
    await off.close();
    t.equal(collector.requests.length, 0);
  });
});

t.test("a collector that is away, or refuses, costs spans and one line in the log", async (t) => {
  await withCollector(async (collector) => {
    collector.status = 503;
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", name: "test", stream: { write: (line) => void lines.push(line) } });
    for (const url of [collector.url, "http://127.0.0.1:9/"]) {
      lines.length = 0;
      const tracer = new OtlpTracer(options(url, { logger, headers: { authorization: "Bearer hidden" } }));
      for (let round = 0; round < 5; round++) {
        for (let index = 0; index < 1_000; index++) tracer.start("lost").end();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const startedMs = performance.now();
      await tracer.close();
      t.ok(performance.now() - startedMs < 4_000);
      t.equal(lines.length, 1, url);
      t.match(lines[0], "spans not sent");
      t.notMatch(lines[0], "hidden");
      tracer.start("after the end").end();
    }
    collector.status = 200;
    const tracer = new OtlpTracer(options(collector.url));
    tracer.start("seen").end();
    await waitFor(() => collector.spans.some(({ name }) => name === "seen"), "a span after the fault");
    await tracer.close();
  });
});

t.test("without a collector nothing is traced, and wrong settings are named without their values", async (t) => {
  t.equal(await openTracer(parseConfig({ OTEL_SERVICE_NAME: "x" }).traces, "api", silent), NO_TRACER);
  const span = NO_TRACER.start("x");
  span.set({ a: 1 });
  span.end();
  t.equal(span.context, undefined);
  for (const [name, value] of Object.entries({
    OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "no pair hidden",
    OTEL_TRACES_SAMPLER: "sometimes",
    OTEL_TRACES_SAMPLER_ARG: "2",
  })) {
    t.throws(() => parseConfig({ [name]: value }), { message: new RegExp(`${name}: must be`) }, name);
  }
  t.throws(() => parseConfig({ OTEL_EXPORTER_OTLP_HEADERS: "no pair hidden" }), { message: /^((?!hidden)[\s\S])*$/ });
});
