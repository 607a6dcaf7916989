// GET /v1/usage, /v1/usage/groups and /v1/ledger: the complete usage of the caller's own account, in pages.
import t from "tap";
import type { Account } from "../../../../api/accounts/account.ts";
import {
  balanceOf,
  chargeCredits,
  grantCredits,
  refundCharge,
  setAccrued,
} from "../../../../api/accounts/credits/ledger.ts";
import { chargeTime } from "../../../../api/accounts/credits/time-charge.ts";
import { settleSession } from "../../../../api/sessions/life/metering.ts";
import { insertAvatarSession, moveAvatarSession } from "../../../../api/sessions/record/avatar-session-store.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { newSession } from "../../../helpers/service/new-session.ts";
import { type TestApi, withIdleApi } from "../../../helpers/service/with-api.ts";

const day = (number: number) => new Date(`2026-11-${String(number).padStart(2, "0")}T12:00:00.000Z`);

interface SessionOptions {
  id: string;
  at: Date;
  /** Tenths of a second. */
  served: number;
  isEnded?: boolean;
  secretId?: string;
  isSelfHosted?: boolean;
}

/** A session as launches and heartbeats leave it, settled if it has ended. */
async function addSession({ services }: TestApi, account: Account, options: SessionOptions): Promise<void> {
  const { database, links } = services;
  const { id, at, served, isEnded = true, isSelfHosted = false, secretId = null } = options;
  const roomName = isSelfHosted ? "" : `room-${id}`;
  const origin = {
    id,
    secretId,
    userId: account.userId,
    agentCode: "A01ABC0001",
    isSelfHosted,
    roomName,
    createdAt: at,
  };
  const session = await insertAvatarSession(database, newSession(origin));
  const live = { liveAt: at, servedDeciseconds: served };
  await moveAvatarSession(database, id, { from: "starting", to: "live", patch: live });
  if (!isEnded) return;
  const endedAt = new Date(at.getTime() + served * 100);
  await database.transaction().execute(async (transaction) => {
    const metered = { ...session, servedDeciseconds: served };
    const credits = await settleSession(transaction, { session: metered, account, links, at: endedAt });
    const patch = { endReason: "ended_by_api" as const, endedAt, credits };
    await moveAvatarSession(transaction, id, { from: "live", to: "ended", patch });
  });
}

t.test("usage lists charges, refunds and sessions, newest first, and no grants", async (t) => {
  await withIdleApi(async (api) => {
    const { database, links } = api.services;
    const { account, secret } = await api.addAccount({ credits: 490 });
    const { userId } = account;
    await grantCredits(database, {
      userId,
      pool: "topup",
      amountCredits: 600,
      reason: "topup",
      reference: "t",
      at: day(1),
    });
    const reference = "agent-model:1";
    await database.transaction().execute(async (transaction) => {
      const charge = { account, amountCredits: 500, reason: "agent_generation_essence-2", reference, links };
      await chargeCredits(transaction, { ...charge, agentCode: "A01ABC0002", at: day(2) });
      await refundCharge(transaction, { userId, chargeReference: reference, at: day(3) });
    });
    await addSession(api, account, { id: "cs_long", at: day(4), served: 600 });
    await addSession(api, account, { id: "cs_short", at: day(5), served: 10 });
    await addSession(api, account, { id: "cs_own", at: day(6), served: 1200, isSelfHosted: true });
    await addSession(api, account, { id: "cs_now", at: day(7), served: 900, isEnded: false });
    const stranger = await api.addAccount();
    await addSession(api, stranger.account, { id: "cs_foreign", at: day(4), served: 600 });

    const ask = async (query = "") => (await api.call("GET", `/v1/usage${query}`, { secret })).body;
    const all = await ask();
    t.same(Object.keys(all).sort(), ["data", "pagination", "success"]);
    t.same(all.pagination, { limit: 50, offset: 0, total: 6, has_more: false });
    const common = { app: "api", frames_rendered: null };
    const session = { ...common, activity_type: "avatar_session", agent_code: "A01ABC0001" };
    const iso = (number: number, afterMs = 0) => new Date(day(number).getTime() + afterMs).toISOString();
    const span = (number: number, servedMs: number) => ({
      start_time: iso(number),
      end_time: iso(number, servedMs),
      created_at: iso(number),
    });
    const cloud = { pricing_code: "usage_essence_2_model_cloud" };
    t.same(all.data, [
      {
        ...session,
        ...cloud,
        id: "session:cs_now",
        credits_change: 6,
        room_name: "room-cs_now",
        ...span(7, 0),
        end_time: null,
      },
      {
        ...session,
        id: "session:cs_own",
        pricing_code: "usage_essence_2_model_self_hosted",
        credits_change: 4,
        room_name: null,
        ...span(6, 120_000),
      },
      { ...session, ...cloud, id: "session:cs_short", credits_change: 0, room_name: "room-cs_short", ...span(5, 1000) },
      { ...session, ...cloud, id: "session:cs_long", credits_change: 4, room_name: "room-cs_long", ...span(4, 60_000) },
      {
        ...common,
        id: `refund:${reference}`,
        activity_type: "refund",
        pricing_code: "credit_refund_agent_generation_essence-2",
        agent_code: "A01ABC0002",
        credits_change: -500,
        room_name: null,
        ...span(3, 0),
      },
      {
        ...common,
        id: reference,
        activity_type: "agent_generation",
        pricing_code: "agent_generation_essence-2",
        agent_code: "A01ABC0002",
        credits_change: 500,
        room_name: null,
        ...span(2, 0),
      },
    ]);

    const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
    const pages = [await ask("?limit=4"), await ask("?limit=4&offset=4"), await ask("?offset=9")];
    t.same(pages.flatMap(idsOf), idsOf(all), "pages put together are the whole");
    t.same(
      pages.map(({ pagination }) => pagination),
      [
        { limit: 4, offset: 0, total: 6, has_more: true },
        { limit: 4, offset: 4, total: 6, has_more: false },
        { limit: 50, offset: 9, total: 6, has_more: false },
      ],
    );
    t.same(idsOf(await ask("?agent_code=A01ABC0002")), [`refund:${reference}`, reference]);
    t.same(idsOf(await ask("?agent_code=nobody")), []);
    t.same(idsOf(await ask("?start=2026-11-03&end=2026-11-05")), ["session:cs_long", `refund:${reference}`]);
    t.same(idsOf(await ask("?start=2026-11-07T12:00:00")), ["session:cs_now"], "a time without a zone is UTC");
    t.same(idsOf(await ask(`?start=${encodeURIComponent("2026-11-07T12:00:01+00:00")}`)), []);
    for (const query of ["limit=0", "limit=201", "limit=x", "offset=-1", "start=yesterday", "end=2026-02-30"]) {
      t.match(await ask(`?${query}`), { status_code: 400, error: { code: "VALIDATION_ERROR" } }, query);
    }
    const headers = (await api.call("GET", "/v1/usage", { secret })).headers;
    t.equal(headers.get("x-ratelimit-limit"), "720", "it is of the read tier");
  });
});

t.test(
  "sums by day, agent, secret and pricing code are those of the ledger, which adds up to the balance",
  async (t) => {
    await withIdleApi(async (api) => {
      const { database, links } = api.services;
      const { account, secret } = await api.addAccount({ credits: 505 });
      const { userId } = account;
      const { id: secretId } = await database.selectFrom("api_secrets").select("id").executeTakeFirstOrThrow();
      const agent = await addAgent(api.services, { userId, code: "guide" });
      await grantCredits(database, {
        userId,
        pool: "topup",
        amountCredits: 600,
        reason: "topup",
        reference: "t",
        at: day(1),
      });
      await database.transaction().execute(async (transaction) => {
        const order = { account, agentCode: agent, secretId, links };
        const made = { ...order, reason: "agent_generation_essence-2", amountCredits: 500 };
        await chargeCredits(transaction, { ...made, reference: "agent-model:1", at: day(2) });
        await refundCharge(transaction, { userId, chargeReference: "agent-model:1", at: day(3) });
        await chargeCredits(transaction, { ...made, amountCredits: 507, reference: "agent-model:2", at: day(3) });
        await chargeTime(transaction, {
          ...order,
          agentCode: null,
          pricingCode: "usage_realtime_call",
          reference: "realtime:1",
          units: 1200 * 10,
          deciseconds: 1200,
          at: day(4),
        });
      });
      const served = { served: 600, secretId };
      await addSession(api, account, { id: "cs_agent", at: day(4), ...served });
      await addSession(api, account, { id: "cs_old", at: day(5), served: 1200, isSelfHosted: true });
      await addSession(api, account, { id: "cs_short", at: day(5), served: 10 });
      await addSession(api, account, { id: "cs_now", at: day(6), served: 900, isEnded: false });
      await database.transaction().execute((transaction) => {
        return setAccrued(transaction, { userId, reference: "session:cs_now", credits: 6 });
      });
      const stranger = await api.addAccount({ credits: 5 });
      await addSession(api, stranger.account, { id: "cs_foreign", at: day(4), served: 600 });

      const ask = async (path: string) => (await api.call("GET", path, { secret })).body;
      const group = async (by: string, more = "") =>
        (await ask(`/v1/usage/groups?by=${by}&start=2026-11-01&end=2026-12-01${more}`)).data;
      const row = (key: string | null, credits: number, seconds: number, name: string | null = null) => ({
        key,
        name,
        credits,
        seconds,
      });
      const total = { credits: 535, seconds: 301 };
      t.same(await group("day"), {
        by: "day",
        start: "2026-11-01T00:00:00.000Z",
        end: "2026-12-01T00:00:00.000Z",
        groups: [
          row("2026-11-02", 500, 0),
          row("2026-11-03", 7, 0),
          row("2026-11-04", 24, 180),
          row("2026-11-05", 4, 121),
        ],
        total,
        group_count: 4,
        accrued_credits: 6,
      });
      const byAgent = await group("agent");
      t.match(byAgent, { total, group_count: 3 });
      t.same(
        byAgent.groups.map(({ key, credits, seconds }: Record<string, unknown>) => [key, credits, seconds]),
        [
          ["guide", 507, 0],
          [null, 20, 120],
          ["A01ABC0001", 8, 181],
        ],
      );
      t.ok(byAgent.groups[0].name, "with its name");
      t.same((await group("api_secret")).groups, [row(secretId, 531, 180, "test"), row(null, 4, 121)]);
      t.same((await group("pricing_code")).groups, [
        row("agent_generation_essence-2", 507, 0),
        row("usage_realtime_call", 20, 120),
        row("usage_essence_2_model_self_hosted", 4, 120),
        row("usage_essence_2_model_cloud", 4, 61),
      ]);
      const first = await group("agent", "&limit=1");
      t.match(first, { total, group_count: 3, groups: { length: 1 } }, "what is not listed is in the total");
      t.match(
        await group("pricing_code", "&agent_code=A01ABC0001"),
        { total: { credits: 8, seconds: 181 }, groups: { length: 2 } },
        "of one agent",
      );
      t.match(await group("day", "&agent_code=A0STRANGER"), { groups: [], group_count: 0, total: { credits: 0 } });
      t.match((await ask("/v1/usage/groups?by=day&start=2026-11-03&end=2026-11-04")).data.total, { credits: 7 });
      t.match((await ask("/v1/usage/groups?by=day")).data.groups, [], "the last 30 days by default");
      const wrong = ["by=hour", "by=day&start=2026-11-02&end=2026-11-02", "by=day&start=2025-11-02&end=2026-12-01", ""];
      for (const query of wrong) {
        t.match(await ask(`/v1/usage/groups?${query}`), { error: { code: "VALIDATION_ERROR" } }, query);
      }

      const ledger = await ask("/v1/ledger");
      const movements: { credits: number; balance_after: number; kind: string }[] = ledger.data;
      t.same(ledger.pagination, { limit: 50, offset: 0, total: 9, has_more: false });
      const sum = (kinds: string[]) =>
        movements.filter(({ kind }) => kinds.includes(kind)).reduce((all, { credits }) => all + credits, 0);
      t.equal(-sum(["charge", "refund"]), total.credits, "the sums are the ledger's");
      const { total: spendable, accruedCredits } = await balanceOf(database, userId);
      t.equal(sum(movements.map(({ kind }) => kind)), spendable + accruedCredits, "all of it is the balance");
      t.equal(movements[0].balance_after, spendable + accruedCredits);
      let balance = 0;
      for (const movement of movements.toReversed()) {
        balance += movement.credits;
        t.equal(movement.balance_after, balance);
      }
      t.match(ledger.data[0], {
        kind: "charge",
        reference: "session:cs_old",
        agent_code: "A01ABC0001",
        key_alias: null,
      });
      const charged = ledger.data.filter(({ reference }: { reference: string }) => reference === "agent-model:2");
      t.match(charged, [
        { pool: "topup", credits: -2, agent_code: "guide", agent_name: /\S/, key_alias: "test" },
        { pool: "plan", credits: -505, reason: "agent_generation_essence-2" },
      ]);
      t.match((await ask("/v1/ledger?kind=top_up")).data, [{ reason: "topup", credits: 600, pool: "topup" }]);
      const ofAgent = (await ask("/v1/ledger?agent_code=guide")).data;
      t.same(
        ofAgent,
        ledger.data.filter(({ agent_code: code }: Record<string, unknown>) => code === "guide"),
        "with the balances of the whole account",
      );
      t.ok(ofAgent.length > 0 && ofAgent.length < ledger.data.length);
      t.same((await ask("/v1/ledger?limit=2&offset=3")).data, movements.slice(3, 5));
      t.same((await ask("/v1/ledger?start=2026-11-03&end=2026-11-04&kind=refund")).pagination.total, 1);
      for (const query of ["limit=0", "limit=201", "kind=gift", "start=soon"]) {
        t.match(await ask(`/v1/ledger?${query}`), { error: { code: "VALIDATION_ERROR" } }, query);
      }
      t.match((await api.call("GET", "/v1/ledger", { secret: stranger.secret })).body.data, { length: 2 });
    });
  },
);
