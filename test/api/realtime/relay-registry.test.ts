// Relays that are present, and what callers see of them.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import t from "tap";
import { countRelays, hasRelay, noteRelay, removeRelay } from "../../../api/realtime/relay-registry.ts";
import { RELAY, relayOf } from "../../helpers/service/relay-calls.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.test("prices and readiness tell whether a relay is there", async (t) => {
  await withIdleApi(async (api) => {
    const { secret } = await api.addAccount();
    const { report } = relayOf(api);
    const state = async () => ({
      isAvailable: (await api.call("GET", "/v1/pricing", { secret })).body.data.realtime.available,
      relays: (await api.call("GET", "/readyz")).body.checks.relays,
    });
    const pricing = (await api.call("GET", "/v1/pricing", { secret })).body.data.realtime;
    t.match(pricing.hosted.relay_line, { pricing_code: "usage_realtime_call", rate: 10 });
    t.same(await state(), { isAvailable: false, relays: "away" });
    await report({});
    await waitFor(async () => (await state()).relays === "ok", "the relay");
    t.equal((await state()).isAvailable, true);
    await report({}, {}, true);
    await waitFor(async () => (await state()).relays === "away", "no relay");
    await removeRelay(api.services.database, RELAY);
  });
});

t.test("a relay is present for 12 s after its report, by the clock that all api processes share", async (t) => {
  await withIdleApi(async ({ services: { database } }) => {
    await noteRelay(database, RELAY);
    t.ok(await hasRelay(database));
    const setAge = (seconds: number) =>
      sql`update realtime_relays set last_seen_at = now() - make_interval(secs => ${seconds})`.execute(database);
    await setAge(11);
    t.equal(await countRelays(database), 1);
    await setAge(13);
    t.same([await countRelays(database), await hasRelay(database)], [0, false]);
    await noteRelay(database, randomUUID());
    t.equal((await database.selectFrom("realtime_relays").selectAll().execute()).length, 1, "the silent one is gone");
  });
});
