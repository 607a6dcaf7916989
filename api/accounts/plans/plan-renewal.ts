// Renews plans as their months begin, in every api process; whoever comes first does it.
import { createBackgroundLoop } from "../../kernel/background-loop.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import { renewPlans } from "./plan-months.ts";

/** A month's credits are there within a minute of its beginning. */
const RENEWAL_INTERVAL_MS = 60_000;

export function createPlanRenewal({ database, logger, now }: Kernel): BackgroundService {
  const renew = async (): Promise<void> => {
    const renewed = await renewPlans(database, new Date(now()));
    if (renewed > 0) logger.info({ accounts: renewed }, "plans renewed");
  };
  const loop = createBackgroundLoop({ name: "plan renewal", intervalMs: RENEWAL_INTERVAL_MS, logger, work: renew });
  return {
    /** What fell due while no api ran is renewed before the first minute is over. */
    async start() {
      await renew();
      await loop.start();
    },
    close: () => loop.close(),
  };
}
