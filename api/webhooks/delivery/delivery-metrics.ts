// Metrics of webhook deliveries: attempts of this process, and what waits.
import { sql } from "kysely";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Sent } from "./delivery.ts";
import { isTaken } from "./delivery.ts";

const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const RESULTS = ["delivered", "refused", "unreachable"] as const;
const SAME = "The same in every api process: take the maximum, not the sum";

/** Registers the metrics. Returns the function that counts an attempt. */
export function createDeliveryMetrics({
  metrics,
  database,
}: Pick<Kernel, "metrics" | "database">): (sent: Sent) => void {
  const attempts = metrics.histogram(
    "avatar_webhook_attempt_seconds",
    "Time of an attempt to deliver a webhook: delivered, refused by the endpoint's status, or unreachable",
    { name: "result", values: RESULTS },
    BUCKETS_S,
  );
  metrics.gauges.add({
    part: "webhooks",
    gauges: {
      pending: {
        name: "avatar_service_webhooks_pending",
        help: `Webhook deliveries that are not settled yet. ${SAME}`,
      },
      oldest: {
        name: "avatar_service_webhook_oldest_seconds",
        help: `How long the longest overdue webhook delivery has been due. ${SAME}`,
      },
    },
    async read() {
      const { pending, oldest } = await database
        .selectFrom("webhook_deliveries")
        .select(({ fn }) => fn.countAll<number>().as("pending"))
        .select(sql<number>`coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8`.as("oldest"))
        .where("due_at", "is not", null)
        .executeTakeFirstOrThrow();
      return { pending, oldest };
    },
  });
  return ({ statusCode, durationMs }) => {
    const result = statusCode === null ? "unreachable" : isTaken(statusCode) ? "delivered" : "refused";
    attempts(result, durationMs / 1000);
  };
}
