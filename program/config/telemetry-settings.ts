import { z } from "zod";
import { flag, httpUrl, port, text, wholeNumber, withoutTrailingSlash } from "./values.ts";

/** `key=value,other=value`, as OpenTelemetry writes lists; values may be percent-encoded. Problems show no value:
 *  headers hold keys. */
const pairs = z.string().transform((list, context): Readonly<Record<string, string>> => {
  try {
    const entries = list.split(",").map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new Error("no pair");
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const;
    });
    if (entries.every(([, value]) => /^[\x20-\x7e]*$/.test(value))) return Object.fromEntries(entries);
  } catch {
    // Reported below.
  }
  context.addIssue("must be pairs like name=value, separated by commas, of ASCII characters or percent-encoded");
  return {};
});

/** Which traces are recorded, by OpenTelemetry's names. */
const TRACES_SAMPLERS = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio",
] as const;
export type TracesSampler = (typeof TRACES_SAMPLERS)[number];

const ratio = z.coerce
  .number("must be a number from 0 to 1")
  .min(0, "must be a number from 0 to 1")
  .max(1, "must be a number from 0 to 1");

export const logSettings = z
  .object({
    AVATAR_LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
    AVATAR_LOG_PERSONAL: flag.default(false),
  })
  .transform((log) => ({ level: log.AVATAR_LOG_LEVEL, personal: log.AVATAR_LOG_PERSONAL }));

/** Of the listener for a monitoring server. */
export const metricsSettings = z
  .object({ AVATAR_METRICS_HOST: text.default("127.0.0.1"), AVATAR_METRICS_PORT: port.optional() })
  .transform((metrics) => ({ host: metrics.AVATAR_METRICS_HOST, port: metrics.AVATAR_METRICS_PORT }));

/** The collector of traces; undefined without one. */
export const traceSettings = z
  .object({
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
    OTEL_EXPORTER_OTLP_HEADERS: pairs.default({}),
    OTEL_EXPORTER_OTLP_TIMEOUT: wholeNumber(1, 600_000).default(10_000),
    OTEL_SERVICE_NAME: text.optional(),
    OTEL_RESOURCE_ATTRIBUTES: pairs.default({}),
    OTEL_TRACES_SAMPLER: z
      .enum(TRACES_SAMPLERS, `must be one of ${TRACES_SAMPLERS.join(", ")}`)
      .default("parentbased_always_on"),
    OTEL_TRACES_SAMPLER_ARG: ratio.default(1),
  })
  .transform((otel) => {
    const base = otel.OTEL_EXPORTER_OTLP_ENDPOINT;
    const url = otel.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${withoutTrailingSlash(base)}/v1/traces`);
    if (url === undefined) return undefined;
    const attributes = otel.OTEL_RESOURCE_ATTRIBUTES;
    return {
      url,
      headers: otel.OTEL_EXPORTER_OTLP_HEADERS,
      timeoutMs: otel.OTEL_EXPORTER_OTLP_TIMEOUT,
      attributes,
      /** Default: named for the process. */
      serviceName: otel.OTEL_SERVICE_NAME ?? attributes["service.name"],
      sampler: otel.OTEL_TRACES_SAMPLER,
      ratio: otel.OTEL_TRACES_SAMPLER_ARG,
    };
  });
