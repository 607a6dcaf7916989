// Records spans and samples traces; `SpanExporter` sends them.
import { randomBytes } from "node:crypto";
import type { TracesSampler } from "../config/telemetry-settings.ts";
import { type ExporterOptions, type FinishedSpan, SpanExporter } from "./span-exporter.ts";
import type { TraceContext } from "./trace-context.ts";
import { type Attributes, epochMs, type Span, type SpanOptions, type Tracer } from "./tracer.ts";

export interface OtlpTracerOptions extends ExporterOptions {
  sampler: TracesSampler;
  /** Share of the traces that a sampler with a ratio records, 0 to 1. */
  ratio: number;
}

export class OtlpTracer implements Tracer {
  readonly isOn = true;
  readonly #options: OtlpTracerOptions;
  readonly #exporter: SpanExporter;

  constructor(options: OtlpTracerOptions) {
    this.#options = options;
    this.#exporter = new SpanExporter(options);
  }

  start(name: string, { parent, kind = "internal", startMs = epochMs(), attributes = {} }: SpanOptions = {}): Span {
    const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
    const context: TraceContext = {
      traceId,
      spanId: randomBytes(8).toString("hex"),
      isSampled: this.#isSampled(traceId, parent),
    };
    const held: Record<string, Attributes[string]> = { ...attributes };
    let errorType: string | undefined;
    let hasEnded = false;
    return {
      context,
      set: (more) => void Object.assign(held, more),
      fail: (type) => {
        errorType = type;
      },
      end: (endMs = epochMs()) => {
        if (hasEnded) return;
        hasEnded = true;
        if (!context.isSampled) return;
        const span: FinishedSpan = {
          name,
          kind,
          context,
          startMs,
          errorType,
          parentId: parent?.spanId,
          endMs: Math.max(startMs, endMs),
          attributes: { ...held, "error.type": errorType },
        };
        this.#exporter.add(span);
      },
    };
  }

  close(): Promise<void> {
    return this.#exporter.close();
  }

  /** As OpenTelemetry names its samplers. */
  #isSampled(traceId: string, parent: TraceContext | undefined): boolean {
    const { sampler, ratio } = this.#options;
    if (parent !== undefined && sampler.startsWith("parentbased_")) return parent.isSampled;
    if (sampler.endsWith("always_on")) return true;
    if (sampler.endsWith("always_off")) return false;
    // The last 52 bits of a trace's id are random, so every process decides alike.
    return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52;
  }
}
