// What a viewer receives.
import type { PacketMetrics } from "../../clients/audience.ts";
import type { LocalRow } from "./local-metrics.ts";

/** Headers of UDP and IP (version 4) of a packet. */
const HEADER_BYTES = 28;

/** Mean of the listeners over this time, ms; null without one that counts bytes. */
export function kbpsOf(all: readonly PacketMetrics[], spanMs: number): NonNullable<LocalRow["kbps"]> | null {
  const counted = all.filter(({ receivedBytes }) => receivedBytes > 0);
  if (counted.length === 0) return null;
  const rate = (bytesOf: (metrics: PacketMetrics) => number) => {
    const bytes = counted.reduce((sum, metrics) => sum + bytesOf(metrics), 0) / counted.length;
    return Math.round((bytes * 80) / spanMs) / 10;
  };
  const headers = ({ audioPackets, motionPackets }: PacketMetrics) => HEADER_BYTES * (audioPackets + motionPackets);
  return {
    received: rate(({ receivedBytes }) => receivedBytes),
    with_headers: rate((metrics) => metrics.receivedBytes + headers(metrics)),
  };
}
