// Renews plans at the start of their months. Every api process checks; the first one renews.
import { BackgroundLoop } from "../../kernel/background-loop.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import { renewPlans } from "./plan-months.ts";

/** A month's credits are granted within this time of its start. */
const RENEWAL_INTERVAL_MS = 60_000;

export function createPlanRenewal({ database, logger, now }: Kernel): BackgroundService {
  const renew = async (): Promise<void> => {
    const renewed = await renewPlans(database, new Date(now()));
    if (renewed > 0) logger.info({ accounts: renewed }, "plans renewed");
  };
  const loop = new BackgroundLoop({ name: "plan renewal", intervalMs: RENEWAL_INTERVAL_MS, logger, work: renew });
  return {
    /** Renews at once the plans that became due while no api process ran. */
    async start() {
      await renew();
      await loop.start();
    },
    close: () => loop.close(),
  };
}
