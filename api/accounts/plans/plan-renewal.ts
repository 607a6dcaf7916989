// Renews plans as their months begin. Every api process looks; the first one renews.
import { createBackgroundLoop } from "../../kernel/background-loop.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import { renewPlans } from "./plan-months.ts";

/** So a month's credits are granted within a minute of its beginning. */
const RENEWAL_INTERVAL_MS = 60_000;

export function createPlanRenewal({ database, logger, now }: Kernel): BackgroundService {
  const renew = async (): Promise<void> => {
    const renewed = await renewPlans(database, new Date(now()));
    if (renewed > 0) logger.info({ accounts: renewed }, "plans renewed");
  };
  const loop = createBackgroundLoop({ name: "plan renewal", intervalMs: RENEWAL_INTERVAL_MS, logger, work: renew });
  return {
    /** Renews at once what fell due while no api ran. */
    async start() {
      await renew();
      await loop.start();
    },
    close: () => loop.close(),
  };
}
