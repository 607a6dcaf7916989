// Metrics of a relay for an operator's monitoring, in the Prometheus text format.
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { CallEndReason } from "./call-end.ts";

export class RelayMetrics {
  readonly registry = new Registry();
  readonly #running: Gauge<"model">;
  readonly #ended: Counter<"model" | "reason">;
  readonly #seconds: Counter<"model">;
  readonly #bytes: Counter<"direction">;
  readonly #refused: Counter<"status">;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#running = new Gauge({
      name: "avatar_relay_calls",
      help: "Realtime calls that run now, by model",
      labelNames: ["model"],
      registers,
    });
    this.#ended = new Counter({
      name: "avatar_relay_calls_ended_total",
      help: "Realtime calls that have ended, by model and reason",
      labelNames: ["model", "reason"],
      registers,
    });
    this.#seconds = new Counter({
      name: "avatar_relay_seconds_total",
      help: "Length of all realtime calls that have ended, by model",
      labelNames: ["model"],
      registers,
    });
    this.#bytes = new Counter({
      name: "avatar_relay_event_bytes_total",
      help: "Size of the relayed events, by direction",
      labelNames: ["direction"],
      registers,
    });
    this.#refused = new Counter({
      name: "avatar_relay_refused_total",
      help: "Realtime calls that were refused, by the status of the answer",
      labelNames: ["status"],
      registers,
    });
    for (const direction of ["to_upstream", "to_client"]) this.#bytes.inc({ direction }, 0);
  }

  noteBegin(model: string): void {
    this.#running.inc({ model });
  }

  noteEnd(model: string, reason: CallEndReason, seconds: number): void {
    this.#running.dec({ model });
    this.#ended.inc({ model, reason });
    this.#seconds.inc({ model }, seconds);
  }

  noteBytes(direction: "to_upstream" | "to_client", bytes: number): void {
    this.#bytes.inc({ direction }, bytes);
  }

  noteRefusal(status: number): void {
    this.#refused.inc({ status: String(status) });
  }
}
