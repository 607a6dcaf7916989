// Traces for OpenTelemetry: spans with a parent, times and attributes. Without a collector in the settings nothing is
// recorded, and the code that sends spans is not loaded.
import type { TraceContext } from "./trace-context.ts";

/** Never what is said, secrets, or names of rooms and people. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

export interface SpanOptions {
  /** Default: the span begins a trace. */
  parent?: TraceContext;
  /** Default internal. */
  kind?: SpanKind;
  /** Milliseconds since the epoch, with a fraction. Default: now. */
  startMs?: number;
  attributes?: Attributes;
}

/** Part of a trace, from `start` to `end`. */
export interface Span {
  /** For its children; undefined if nothing is traced. */
  readonly context: TraceContext | undefined;
  /** Adds attributes; undefined ones are left out. */
  set(attributes: Attributes): void;
  /** Marks it as failed. `type`: an error code, never a message. */
  fail(type: string): void;
  /** `endMs` as `SpanOptions.startMs`. Only the first end counts. */
  end(endMs?: number): void;
}

export interface Tracer {
  /** False if nothing is traced: callers may spare what only spans need. */
  readonly isOn: boolean;
  start(name: string, options?: SpanOptions): Span;
  /** Sends what is left, within a few seconds. Never throws. */
  close(): Promise<void>;
}

export const NO_SPAN: Span = Object.freeze({
  context: undefined,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
});

export const NO_TRACER: Tracer = Object.freeze({ isOn: false, start: () => NO_SPAN, close: async () => undefined });

/** Milliseconds since the epoch, with a fraction, that never run backwards within a process. */
export function epochMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Runs `work` within a span. If it throws, the span fails with `typeOf` the error, and the error is thrown on. */
export async function withSpan<T>(
  span: Span,
  work: () => Promise<T>,
  typeOf: (error: unknown) => string = () => "error",
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.fail(typeOf(error));
    throw error;
  } finally {
    span.end();
  }
}
