// Chooses the tracer. Without a collector in the settings the code that sends spans is not loaded.
import type { Config } from "../../shared/config.ts";
import type { Logger } from "../../shared/log.ts";
import { NO_TRACER, type Tracer } from "./tracer.ts";

/** The tracer that the settings name. `part` is the process: api, worker. */
export async function openTracer(config: Config, part: string, logger: Logger): Promise<Tracer> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = config;
  if (traces === undefined && base === undefined) return NO_TRACER;
  const { OtlpTracer } = await import("./otlp-tracer.ts");
  return new OtlpTracer({
    url: traces ?? `${base?.replace(/\/+$/, "")}/v1/traces`,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    resource: {
      ...config.OTEL_RESOURCE_ATTRIBUTES,
      "service.name": config.OTEL_SERVICE_NAME ?? config.OTEL_RESOURCE_ATTRIBUTES["service.name"] ?? `avatar-${part}`,
      "service.instance.id": crypto.randomUUID(),
      "avatar.process": part,
    },
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    logger,
  });
}
