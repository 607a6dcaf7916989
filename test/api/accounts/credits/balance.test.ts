// Answers about an account: profile, credits, prices.
import t from "tap";
import { chargeCredits, grantCredits } from "../../../../api/accounts/credits/ledger.ts";
import { ensureOperatorAccount } from "../../../../api/accounts/operator-account.ts";
import { withApi } from "../../../helpers/service/with-api.ts";

const at = new Date("2026-11-01T00:00:00Z");

t.test("GET /v1/me describes the caller's account, limited per address", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "creator", credits: 1800 });
    const { userId } = account;
    const topup = { userId, pool: "topup", amountCredits: 50, reason: "topup", reference: "t", at } as const;
    await grantCredits(api.services.database, topup);
    const answer = await api.call("GET", "/v1/me", { secret });
    const publicUrl = api.services.config.http.publicUrl;
    t.same(answer.body, {
      status: "success",
      status_code: 200,
      data: {
        user_id: userId,
        email: account.email,
        plan: "creator",
        plan_code: "membership_creator",
        credit_balance: 1850,
        plan_credits_remaining: 1800,
        topup_credits_remaining: 50,
        account_status: "active",
        runtime_suspended: false,
        upgrade_url: api.services.links.upgradeUrl,
        pricing_url: `${publicUrl}/v1/pricing`,
        limits: {
          generate_requests_per_minute: 10,
          write_requests_per_minute: 60,
          read_requests_per_minute: 240,
          agents: 7,
          concurrent_sessions: 3,
        },
      },
    });
    t.match(Object.fromEntries(answer.headers), { "x-ratelimit-limit": "120", "x-ratelimit-remaining": "119" });
    const other = await api.addAccount({ plan: "business" });
    const counted = await api.call("GET", "/v1/me", { secret: other.secret });
    t.equal(counted.headers.get("x-ratelimit-remaining"), "118", "two accounts behind one address share its limit");
    t.match(await api.call("GET", "/v1/me"), { status: 401, body: { error: { code: "MISSING_AUTH" } } });

    await api.services.database.transaction().execute((transaction) =>
      chargeCredits(transaction, {
        account,
        amountCredits: 1861,
        reason: "r",
        reference: "overdraw",
        agentCode: null,
        at,
        links: api.services.links,
        mayOverdraw: true,
      }),
    );
    t.match((await api.call("GET", "/v1/me", { secret })).body.data, {
      credit_balance: -11,
      account_status: "suspended",
    });
  });
});

t.test("GET /v2/credit-summaries gives whole minutes, finite on every plan", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "pro", credits: 99 });
    const summary = await api.call("GET", "/v2/credit-summaries?app=x&app_key=y", { secret });
    t.same(summary.body, {
      success: true,
      data: {
        user_id: account.userId,
        balance: 99,
        plan_credits: 99,
        topup_credits: 0,
        is_enterprise: false,
        isEnterprisePlanUser: false,
        minutes_estimate: {
          essence_1_cloud: 49,
          essence_1_self_hosted: 99,
          essence_cloud: 49,
          essence_self_hosted: 99,
          expression_1_cloud: 24,
          expression_1_self_hosted: 49,
          expression_cloud: 24,
          expression_self_hosted: 49,
          essence_2_cloud: 24,
          essence_2_self_hosted: 49,
          expression_2_cloud: 24,
          expression_2_self_hosted: 49,
          voice_chat: 9,
          camera_chat: 3,
        },
      },
    });
    t.equal(summary.headers.get("x-ratelimit-limit"), "720", "it is of the read tier");

    const operatorSecret = "operator-secret-operator-secret-operator";
    await ensureOperatorAccount({ database: api.services.database, secret: operatorSecret, now: at });
    const { data } = (await api.call("GET", "/v2/credit-summaries", { secret: operatorSecret })).body;
    t.match(data, { balance: 1_000_000, is_enterprise: true, minutes_estimate: { essence_2_cloud: 250_000 } });
    t.ok(Object.values(data.minutes_estimate).every(Number.isSafeInteger), "numbers are finite");

    const poor = await api.addAccount({ plan: "enterprise" });
    await api.services.database.transaction().execute((transaction) =>
      chargeCredits(transaction, {
        account: poor.account,
        amountCredits: 5,
        reason: "r",
        reference: "r",
        agentCode: null,
        at,
        links: api.services.links,
        mayOverdraw: true,
      }),
    );
    const owed = (await api.call("GET", "/v2/credit-summaries", { secret: poor.secret })).body.data;
    t.match(owed, { balance: -5, plan_credits: -5, is_enterprise: true });
    t.ok(
      Object.values(owed.minutes_estimate).every((minutes) => minutes === 0),
      "none below zero",
    );
  });
});

t.test("GET /v1/pricing lists prices of available models, and keeps the contract's keys for the rest", async (t) => {
  await withApi(async (api) => {
    const { secret } = await api.addAccount();
    const { status, body } = await api.call("GET", "/v1/pricing", { secret });
    t.equal(status, 200);
    t.same(Object.keys(body).sort(), ["data", "success"]);
    const { data } = body;
    t.equal(data.unit, "credits");
    t.same(data.agent_generation.by_model, {
      "essence-1": 250,
      "expression-1": 250,
      "essence-2": 500,
      "expression-2": 2000,
      auto: 2000,
    });
    const videoRates = { "essence-1": 2, "expression-1": 4, "essence-2": 4, "expression-2": 4 };
    t.match(data.talking_video, { unit: "credits_per_minute", billing: /started minute/ });
    t.same(data.talking_video.rates, videoRates);
    t.match(data.dynamics_generation, { flat: 250, note: /all gestures/ });
    const line = (pricing_code: string, rate: number) => ({
      pricing_code,
      rate,
      rounding: "session_seconds_floor_carry",
      basis: "session_seconds",
    });
    const { hosted, self_hosted, in_browser } = data.realtime;
    t.same(hosted.by_model["essence-2"], line("usage_essence_2_model_cloud", 4));
    t.same(hosted.by_model["essence-1"], line("usage_essence_model_cloud", 2));
    t.notOk("essence-2-quality" in hosted.by_model, "a model that is not offered has no price");
    t.same(self_hosted.by_model["expression-2"], line("usage_expression_2_model_self_hosted", 2));
    t.match(self_hosted.by_model["expression-1"], { rate: 2, note: /half the cloud rate/ }, "the contract has none");
    t.match(hosted.chat_line, { ...line("usage_voice_chat", 10), note: /language model of this server/ });
    t.match(hosted.camera_chat_line, { ...line("usage_camera_chat", 30), note: /Instead of the chat line/ });
    t.match(in_browser, { surface: String, note: String });
    t.match(data.realtime, { unit: "credits_per_minute", available: false, note: String });
    t.type(data.notes, "string");
  });
});

t.test("routes that check the secret themselves share 120 requests a minute per address", async (t) => {
  await withApi(
    async (api) => {
      const { secret } = await api.addAccount({ plan: "free" });
      const path = "/v1/me";
      const answers = await Promise.all(Array.from({ length: 200 }, () => api.call("GET", path, { secret })));
      const refused = answers.filter(({ status }) => status === 429);
      t.ok(refused.length > 0 && refused.length <= 80, `${refused.length} of 200 are refused`);
      t.match(refused[0]?.body, { error: { code: "RATE_LIMITED", message: /address tier/ } });
      t.ok(Number(refused[0]?.headers.get("retry-after")) >= 1);
      const { headers } = await api.call("POST", "/v1/embed-tokens/request", { secret, body: {} });
      t.equal(headers.get("x-ratelimit-limit"), "120");
      t.ok(Number(headers.get("x-ratelimit-remaining")) < 60, "an embed mint draws on the same allowance");
    },
    { environment: { AVATAR_NOW: "2026-10-01T00:00:00Z" } },
  );
});
