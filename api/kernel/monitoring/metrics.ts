// Metrics of the api for an operator's monitoring, in the Prometheus text format.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { createServiceGauges, type ServiceGauges } from "./service-gauges.ts";

export interface RequestObservation {
  method: string;
  /** Pattern of the route, never the URL: the number of time series stays bounded. */
  route: string;
  status: number;
  durationMs: number;
}

export interface Label<Value extends string> {
  name: string;
  /** Each is counted from 0, so that its first increase is seen. */
  values: readonly Value[];
}

export interface Metrics {
  readonly registry: Registry;
  observeRequest(observation: RequestObservation): void;
  /** Registers a gauge that is read at each scrape. */
  gauge(name: string, help: string, read: () => Promise<number>): void;
  /** Registers a counter with one label of the given values. Returns the function that counts, by 1 or `count`. */
  counter<Value extends string>(
    name: string,
    help: string,
    label: Label<Value>,
  ): (value: Value, count?: number) => void;
  /** Registers a histogram of times with one label of the given values. Returns the function that observes. */
  histogram<Value extends string>(
    name: string,
    help: string,
    label: Label<Value>,
    bucketsSeconds: readonly number[],
  ): (value: Value, seconds: number) => void;
  /** Gauges that are read from the database or the disk. */
  readonly gauges: ServiceGauges;
}

const DURATION_BUCKETS_S = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A registry of its own, so that two apis in one process (as in tests) do not collide. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: "avatar_http_request_duration_seconds",
    help: "Time to answer a request.",
    labelNames: ["method", "route", "status"],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  return {
    registry,
    gauges: createServiceGauges(registry),
    observeRequest({ method, route, status, durationMs }) {
      durations.observe({ method, route, status: String(status) }, durationMs / 1000);
    },
    gauge(name, help, read) {
      const gauge = new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          gauge.set(await read());
        },
      });
    },
    counter(name, help, label) {
      const counter = new Counter({ name, help, labelNames: [label.name], registers: [registry] });
      for (const value of label.values) counter.inc({ [label.name]: value }, 0);
      return (value, count = 1) => counter.inc({ [label.name]: value }, count);
    },
    histogram(name, help, label, bucketsSeconds) {
      const buckets = [...bucketsSeconds];
      const histogram = new Histogram({ name, help, labelNames: [label.name], buckets, registers: [registry] });
      for (const value of label.values) histogram.zero({ [label.name]: value });
      return (value, seconds) => histogram.observe({ [label.name]: value }, seconds);
    },
  };
}
