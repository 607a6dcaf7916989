// Gauges that are read from elsewhere (the database, the disk) at a scrape: rarely, within a time limit, and without
// failing the scrape.
import { Counter, Gauge, type Registry } from "prom-client";

/** A value of a gauge with labels. */
export interface Sample {
  labels: Record<string, string>;
  value: number;
}

export interface GaugeDeclaration {
  name: string;
  help: string;
  labels?: readonly string[];
}

export interface GaugeGroup<Key extends string> {
  /** Of the counter of failed reads. */
  part: string;
  /** By the names under which `read` returns their values. */
  gauges: Readonly<Record<Key, GaugeDeclaration>>;
  /** Called at a scrape, at most once in `maxAgeMs`. */
  read(): Promise<Readonly<Record<Key, number | readonly Sample[]>>>;
  /** Default 5,000. */
  maxAgeMs?: number;
}

/** A scrape waits this long for a read, ms. */
const READ_LIMIT_MS = 2_000;
const DEFAULT_MAX_AGE_MS = 5_000;

export interface ServiceGauges {
  /** Registers a group. After a read that failed or took too long its gauges have no values until the next read. */
  add<Key extends string>(group: GaugeGroup<Key>): void;
}

export function createServiceGauges(registry: Registry): ServiceGauges {
  const failures = new Counter({
    name: "avatar_metrics_failures_total",
    help: "Reads of gauges that failed or took too long, by part. Its gauges have no values then",
    labelNames: ["part"],
    registers: [registry],
  });
  return {
    add({ part, gauges, read, maxAgeMs = DEFAULT_MAX_AGE_MS }) {
      failures.inc({ part }, 0);
      let latest: { atMs: number; result: ReturnType<typeof read>; isPending: boolean } | null = null;
      const values = () => {
        const atMs = performance.now();
        // A read in progress is shared, however long it takes: reads never overlap.
        if (latest === null || (!latest.isPending && atMs - latest.atMs >= maxAgeMs)) {
          const next = { atMs, result: read(), isPending: true };
          latest = next;
          const settle = () => {
            next.isPending = false;
          };
          next.result.then(settle, settle);
          withinLimit(next.result).catch(() => failures.inc({ part }));
        }
        return withinLimit(latest.result);
      };
      for (const [key, { name, help, labels = [] }] of Object.entries<GaugeDeclaration>(gauges)) {
        new Gauge({
          name,
          help,
          labelNames: labels,
          registers: [registry],
          async collect() {
            try {
              const value: number | readonly Sample[] = (await values())[key as keyof typeof gauges];
              // Labels that are gone must not keep their last values.
              this.reset();
              if (typeof value === "number") this.set(value);
              else for (const sample of value) this.set(sample.labels, sample.value);
            } catch {
              // Counted above. A gauge without labels would otherwise be reset to 0.
              this.reset();
              if (labels.length === 0) this.remove();
            }
          },
        });
      }
    },
  };
}

async function withinLimit<T>(result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the metrics were not read in time")), READ_LIMIT_MS);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}
