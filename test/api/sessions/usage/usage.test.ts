// GET /v1/usage: the complete usage of the caller's own account, in pages.
import t from "tap";
import type { Account } from "../../../../api/accounts/account.ts";
import { chargeCredits, grantCredits, refundCharge } from "../../../../api/accounts/credits/ledger.ts";
import { settleSession } from "../../../../api/sessions/life/metering.ts";
import { insertAvatarSession, moveAvatarSession } from "../../../../api/sessions/record/avatar-session-store.ts";
import { newSession } from "../../../helpers/service/new-session.ts";
import { type TestApi, withIdleApi } from "../../../helpers/service/with-api.ts";

const day = (number: number) => new Date(`2026-11-${String(number).padStart(2, "0")}T12:00:00.000Z`);

interface SessionOptions {
  id: string;
  at: Date;
  /** Tenths of a second. */
  served: number;
  isEnded?: boolean;
  isSelfHosted?: boolean;
}

/** A session as launches and heartbeats leave it, settled if it has ended. */
async function addSession({ services }: TestApi, account: Account, options: SessionOptions): Promise<void> {
  const { database, links } = services;
  const { id, at, served, isEnded = true, isSelfHosted = false } = options;
  const roomName = isSelfHosted ? "" : `room-${id}`;
  const origin = { id, userId: account.userId, agentCode: "A01ABC0001", isSelfHosted, roomName, createdAt: at };
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
