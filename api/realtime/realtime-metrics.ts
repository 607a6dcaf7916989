// Metrics of realtime calls and their relays, as the relays report them.
import type { Kernel } from "../kernel/kernel.ts";
import { countRelays } from "./relay-registry.ts";

const SAME = "The same in every api process: take the maximum, not the sum";

/** Registers the metrics. */
export function addRealtimeMetrics({ metrics, database }: Pick<Kernel, "metrics" | "database">): void {
  metrics.gauges.add({
    part: "realtime",
    gauges: {
      relays: { name: "avatar_service_relays", help: `Realtime relays that have reported recently. ${SAME}` },
      calls: { name: "avatar_service_realtime_calls", help: `Realtime calls that are not settled yet. ${SAME}` },
    },
    async read() {
      const { calls } = await database
        .selectFrom("realtime_calls")
        .select(({ fn }) => fn.countAll<number>().as("calls"))
        .executeTakeFirstOrThrow();
      return { relays: await countRelays(database), calls };
    },
  });
}
