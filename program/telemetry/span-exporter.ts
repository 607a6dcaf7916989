// Sends spans to a collector of OpenTelemetry: OTLP over HTTP, in JSON. Spans wait in a bounded queue; if the collector
// is away they are lost, and nothing else is.
import type { Logger } from "../log.ts";
import type { TraceContext } from "./trace-context.ts";
import type { Attributes, SpanKind } from "./tracer.ts";

export interface FinishedSpan {
  name: string;
  kind: SpanKind;
  context: TraceContext;
  parentId: string | undefined;
  /** Milliseconds since the epoch. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** Undefined unless it failed. */
  errorType: string | undefined;
}

export interface ExporterOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Of one request, ms. */
  timeoutMs: number;
  /** Attributes of the process. */
  resource: Attributes;
  logger: Logger;
  /** Longest wait of a span, ms. Default 2,000. */
  intervalMs?: number;
}

/** Further spans are dropped. */
const QUEUED_SPANS = 2_048;
const BATCH_SPANS = 512;
const DEFAULT_INTERVAL_MS = 2_000;
/** A lasting fault is logged this often, ms. */
const WARN_EVERY_MS = 300_000;
/** At the end of the process, ms. */
const CLOSE_LIMIT_MS = 2_000;
/** Source: opentelemetry-proto, `trace.proto`. */
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };
const STATUS_ERROR = 2;

export class SpanExporter {
  readonly #options: ExporterOptions;
  #queue: FinishedSpan[] = [];
  #lost = 0;
  #warnedAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Queues a span. Never throws. */
  add(span: FinishedSpan): void {
    if (this.#isClosed || this.#queue.length >= QUEUED_SPANS) {
      this.#lost += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= BATCH_SPANS) this.#flush();
    this.#timer ??= setTimeout(() => this.#flush(), this.#options.intervalMs ?? DEFAULT_INTERVAL_MS).unref();
  }

  /** Sends what is queued, in 2 s at most. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#flush();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_LIMIT_MS);
    });
    await Promise.race([this.#sending, limit]);
    clearTimeout(timer);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One request at a time: behind a slow collector spans wait in the queue, which is bounded.
    this.#sending = this.#sending.then(async () => {
      const spans = this.#queue.splice(0, BATCH_SPANS);
      if (spans.length === 0) return;
      try {
        await this.#send(spans);
      } catch (error) {
        this.#noteLoss(spans.length, error);
      }
    });
  }

  async #send(spans: readonly FinishedSpan[]): Promise<void> {
    const { url, headers, timeoutMs, resource } = this.#options;
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(toRequest(resource, spans)),
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the collector answered ${response.status}`);
  }

  #noteLoss(spans: number, error: unknown): void {
    this.#lost += spans;
    const nowMs = performance.now();
    if (nowMs - this.#warnedAtMs < WARN_EVERY_MS) return;
    this.#warnedAtMs = nowMs;
    this.#options.logger.warn({ err: error, lostSpans: this.#lost }, "spans not sent");
  }
}

/** An ExportTraceServiceRequest in the JSON encoding of OTLP: ids in hexadecimal, 64-bit numbers as text. */
function toRequest(resource: Attributes, spans: readonly FinishedSpan[]): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: "open-avatar-service" }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

function toSpan({ name, kind, context, parentId, startMs, endMs, attributes, errorType }: FinishedSpan): object {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(endMs),
    attributes: toAttributes(attributes),
    ...(errorType !== undefined && { status: { code: STATUS_ERROR } }),
  };
}

/** Text, because a number of this size is not exact. */
function toNanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

function toAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]): object[] => {
    if (value === undefined) return [];
    if (typeof value === "string") return [{ key, value: { stringValue: value } }];
    if (typeof value === "boolean") return [{ key, value: { boolValue: value } }];
    return [{ key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }];
  });
}
