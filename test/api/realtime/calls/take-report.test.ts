// Calls that a relay must stop.
import { randomUUID } from "node:crypto";
import t from "tap";
import { relayOf, UPSTREAM_ENVIRONMENT } from "../../../helpers/service/relay-calls.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

t.test("calls are stopped: balance gone, secret revoked, account suspended, hung up, unknown", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open, report, hangUp } = relayOf(api);
      const { database } = api.services;
      const poor = await api.addAccount({ credits: 2 });
      const revoked = await api.addAccount({ credits: 9 });
      const suspended = await api.addAccount({ credits: 9 });
      const caller = await api.addAccount({ credits: 9 });
      const ids: string[] = [];
      for (const { secret } of [poor, revoked, suspended, caller]) ids.push((await open(secret)).body.call_id);
      const running = Object.fromEntries(ids.map((id) => [id, 11]));
      t.same((await report(running)).body.stop, []);
      const revokedAt = new Date();
      const { userId } = revoked.account;
      await database.updateTable("api_secrets").set({ revoked_at: revokedAt }).where("user_id", "=", userId).execute();
      const stopped = { status: "suspended" } as const;
      await database.updateTable("accounts").set(stopped).where("user_id", "=", suspended.account.userId).execute();
      t.equal((await hangUp(poor.secret, ids[3])).status, 404, "a stranger's hangup");
      t.equal((await hangUp(caller.secret, "rtc_other")).status, 404);
      t.same((await hangUp(caller.secret, ids[3])).body, { ok: true });
      const elsewhere = await relayOf(api, randomUUID()).report({ [ids[0]]: 12 });
      t.match(elsewhere.body.stop, [{ reason: "unknown" }], "another relay's call");
      const { body } = await report({ ...Object.fromEntries(ids.map((id) => [id, 12.1])), rtc_lost: 5 });
      const reasons = body.stop.map(({ reason }: { reason: string }) => reason);
      t.same(reasons, ["balance_exhausted", "secret_revoked", "account_suspended", "hung_up", "unknown"]);
      await report({}, Object.fromEntries(ids.map((id) => [id, 12.1])));
      t.equal((await hangUp(caller.secret, ids[3])).status, 200, "repeated after the end");
      t.equal((await hangUp(poor.secret, ids[3])).status, 404, "still a stranger's");
    },
    { environment: UPSTREAM_ENVIRONMENT },
  );
});
