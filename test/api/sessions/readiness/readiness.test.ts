// What `/readyz` reports about a LiveKit server.
import t from "tap";
import type { LiveKitServerState } from "../../../../api/kernel/livekit/livekit-version.ts";
import { createReadinessCheck } from "../../../../api/sessions/readiness/readiness.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

t.test(
  "/readyz reports a LiveKit server that is not reachable or too old; a slow version answer is not a fault",
  async (t) => {
    await withIdleApi(async ({ services }) => {
      const check = (isReachable: boolean, server: Promise<LiveKitServerState>) =>
        createReadinessCheck({
          isRelayed: async () => true,
          database: services.database,
          now: services.now,
          livekit: { ...services.livekit, isReachable: async () => isReachable, checkServer: () => server },
        })();
      const state = async (status: LiveKitServerState["status"], version: string | null) => ({ status, version });
      t.match(await check(true, state("ok", "1.11.0")), { database: "ok", livekit: "ok", workers: "away" });
      t.match(await check(true, state("outdated", "1.9.11")), { livekit: "outdated" });
      t.match(await check(false, state("unreachable", null)), { livekit: "away" });
      t.match(await check(true, new Promise(() => undefined)), { livekit: "ok" });
    });
  },
);
