// Realtime calls as a relay asks the api about them, for tests of their opening, billing and end.
import { randomUUID } from "node:crypto";
import { mintRelayToken } from "../../../shared/worker-token.ts";
import { waitFor } from "../wait-for.ts";
import type { TestApi } from "./with-api.ts";

const UPSTREAMS = JSON.stringify([
  { name: "gpt-realtime-mini", base_url: "http://127.0.0.1:9/v1/", api_key: "sk-secret" },
  { name: "big/model", base_url: "https://cloud.example/v1", model: "large", plan: "business" },
]);
/** Settings with two servers of models. */
export const UPSTREAM_ENVIRONMENT = { AVATAR_REALTIME_UPSTREAMS: UPSTREAMS };
/** Id of the usual relay. */
export const RELAY = randomUUID();

/** Requests of one relay. */
export function relayOf(api: TestApi, relayId = RELAY) {
  const post = async (path: string, body: object) => {
    const bearer = await mintRelayToken(api.services.livekit);
    return api.call("POST", `/v1/runtime/realtime/${path}`, { bearer, body });
  };
  return {
    open: (secret: string | null, model: string | null = null, more: object = {}) =>
      post("calls", {
        relay_id: relayId,
        caller: { ip: "192.0.2.7", headers: secret === null ? {} : { "api-secret": secret } },
        model,
        query: {},
        transport: "websocket",
        ...more,
      }),
    report: (running: Record<string, number>, ended: Record<string, number> = {}, isDraining = false) => {
      const list = (calls: Record<string, number>) =>
        Object.entries(calls).map(([call_id, seconds]) => ({ call_id, seconds }));
      return post("reports", {
        relay_id: relayId,
        running: list(running),
        ended: list(ended),
        is_draining: isDraining,
      });
    },
    hangUp: (secret: string, call_id: string) =>
      post("hangups", { caller: { ip: "192.0.2.7", headers: { "api-secret": secret } }, call_id }),
  };
}

/** Credits that are left. */
export const balanceOf = async (api: TestApi, secret: string): Promise<number> =>
  (await api.call("GET", "/v2/credit-summaries", { secret })).body.data.balance;
/** Calls that ended are settled after the relay was answered. */
export const settled = (api: TestApi): Promise<unknown> =>
  waitFor(async () => {
    const ended = await api.services.database
      .selectFrom("realtime_calls")
      .select("id")
      .where("is_ended", "=", true)
      .execute();
    return ended.length === 0;
  }, "ended calls to be settled");

/** Newest first. */
export const usageOf = async (api: TestApi, secret: string) =>
  (await api.call("GET", "/v1/usage", { secret })).body.data;

/** A worker with this many realtime slots. */
export async function addRealtimeWorker(api: TestApi, slots: number): Promise<void> {
  await api.services.database
    .insertInto("avatar_workers")
    .values({
      id: randomUUID(),
      providers: ["cpu"],
      active_sessions: 0,
      max_sessions: 1,
      last_seen_at: new Date(api.clock.now()),
      relay_url: "ws://127.0.0.1:9/v1/realtime",
      realtime_slots: slots,
    })
    .execute();
}
