// Chooses the tracer. Without a collector in the settings the code that sends spans is not loaded.
import type { Config } from "../config.ts";
import type { Logger } from "../log.ts";
import { NO_TRACER, type Tracer } from "./tracer.ts";

/** The tracer that the settings name. `part` is the process: api, worker. */
export async function openTracer(settings: Config["traces"], part: string, logger: Logger): Promise<Tracer> {
  if (settings === undefined) return NO_TRACER;
  const { OtlpTracer } = await import("./otlp-tracer.ts");
  const { attributes, serviceName = `avatar-${part}`, ...others } = settings;
  return new OtlpTracer({
    ...others,
    resource: {
      ...attributes,
      "service.name": serviceName,
      "service.instance.id": crypto.randomUUID(),
      "avatar.process": part,
    },
    logger,
  });
}
