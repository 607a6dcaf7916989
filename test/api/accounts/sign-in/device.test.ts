// Signing in a program by a code that a person confirms in the console.
import t from "tap";
import { signIn } from "../../../helpers/service/sign-in.ts";
import { type TestApi, withIdleApi } from "../../../helpers/service/with-api.ts";

const error = (status: number, code: string) => ({ status, body: { error: { code } } });
const begin = async (api: TestApi, body: object = { hostname: "desk" }) =>
  (await api.call("POST", "/v1/cli/device", { body })).body;
const ask = (api: TestApi, device_code: string) => api.call("POST", "/v1/cli/token", { body: { device_code } });

t.test("a confirmed code yields a secret of the computer once", async (t) => {
  await withIdleApi(async (api) => {
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const begun = await begin(api);
    t.match(begun, {
      device_code: /^[\w-]{43}$/,
      user_code: /^[B-Z]{4}-[B-Z]{4}$/,
      verification_uri: `http://127.0.0.1:${new URL(api.baseUrl).port}/device`,
      expires_in: 600,
      interval: 5,
    });
    t.equal(begun.verification_uri_complete, `${begun.verification_uri}?code=${begun.user_code}`);
    t.match(await ask(api, begun.device_code), { status: 200, body: { status: "pending" } });

    const typed = begun.user_code.toLowerCase().replace("-", " ");
    const found = await browser.call("POST", "/console/device/find", { body: { user_code: typed } });
    t.match(found.body, { user_code: begun.user_code, host: "desk", address: "127.0.0.1" });
    const confirm = { body: { user_code: typed, is_confirmed: true } };
    t.match(await api.call("POST", "/console/device/decide", confirm), error(403, "FORBIDDEN"), "no page of ours");
    t.match(await browser.call("POST", "/console/device/decide", confirm), { body: { is_confirmed: true } });
    t.match(await browser.call("POST", "/console/device/decide", confirm), error(404, "NOT_FOUND"), "decided already");

    const { body } = await ask(api, begun.device_code);
    t.match(body, { status: "complete", token_type: "api-secret", alias: "cli@desk", email: account.email });
    t.match(await api.call("GET", "/v1/agents", { secret: body.access_token }), { status: 200 });
    t.match(await ask(api, begun.device_code), error(400, "VALIDATION_ERROR"), "used up");

    const second = await begin(api);
    await browser.call("POST", "/console/device/decide", { body: { user_code: second.user_code, is_confirmed: true } });
    t.match((await ask(api, second.device_code)).body, { alias: "cli@desk-2" }, "another computer of that name");
  });
});

t.test("a computer that signs in again has one secret, of the same name", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const { account: other, secret: foreign } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const enter = async (hostname: string, former_secret?: unknown) => {
      const { user_code, device_code } = await begin(api, { hostname });
      await browser.call("POST", "/console/device/decide", { body: { user_code, is_confirmed: true } });
      return (await api.call("POST", "/v1/cli/token", { body: { device_code, former_secret } })).body;
    };
    const isUsable = async (value: string) => (await api.call("GET", "/v1/me", { secret: value })).status === 200;
    const first = await enter("desk");
    const again = await enter("desk", first.access_token);
    t.match(again, { status: "complete", alias: "cli@desk" });
    t.notOk(await isUsable(first.access_token), "the former secret is revoked");
    const third = await enter("desk", first.access_token);
    t.match(third, { alias: "cli@desk-2" }, "a revoked secret replaces nothing");
    const renamed = await enter("laptop", third.access_token);
    t.match(renamed, { alias: "cli@laptop" }, "a computer may have got another name");
    t.notOk(await isUsable(third.access_token));
    t.match(await enter("desk", secret), { alias: "cli@desk-2" });
    t.ok(await isUsable(secret), "a secret that is no computer's stays");
    t.match(await enter("desk", foreign), { alias: "cli@desk-3" });
    t.ok(await isUsable(foreign), "and so does one of another account");
    t.match(await enter("desk", null), { alias: "cli@desk-4" });
    t.not(other.userId, account.userId);
    const long = await enter("d".repeat(255));
    t.equal(long.alias, `cli@${"d".repeat(28)}`);
    t.equal((await enter("d".repeat(255))).alias, `cli@${"d".repeat(26)}-2`);
    t.match(await enter("desk", "x".repeat(201)), { error: { code: "VALIDATION_ERROR" } });
  });
});

t.test("codes that are denied, expired, unknown or someone else's yield nothing", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const decide = (user_code: string, is_confirmed: boolean) =>
      browser.call("POST", "/console/device/decide", { body: { user_code, is_confirmed } });
    const denied = await begin(api);
    t.match(await decide(denied.user_code, false), { status: 200 });
    t.match(await ask(api, denied.device_code), error(403, "FORBIDDEN"));

    const late = await begin(api);
    api.clock.advance(600_000);
    t.match(await ask(api, late.device_code), error(400, "VALIDATION_ERROR"), "expired");
    t.match(await decide(late.user_code, true), error(404, "NOT_FOUND"));
    t.match(await ask(api, "x".repeat(43)), error(400, "VALIDATION_ERROR"), "unknown");
    t.match(await api.call("POST", "/v1/cli/token", { body: {} }), error(400, "MISSING_PARAM"));
    t.match(await decide("", true), error(404, "NOT_FOUND"));
    t.match(await decide("<b>none</b>", true), error(404, "NOT_FOUND"));

    const { account: free } = await api.addAccount({ plan: "free" });
    const visitor = await signIn(api, free.userId);
    const wanted = await begin(api);
    const confirm = { body: { user_code: wanted.user_code, is_confirmed: true } };
    t.match(await visitor.call("POST", "/console/device/decide", confirm), error(403, "PLAN_REQUIRED"));

    const named = async (hostname: string) => {
      const { user_code } = await begin(api, { hostname });
      return (await browser.call("POST", "/console/device/find", { body: { user_code } })).body.host;
    };
    t.equal(await named("<img src=x> /desk.local-"), "imgsrcxdesk.local", "a name that can be part of an alias");
    t.equal(await named("…"), "computer");
    t.equal((await named("d".repeat(255))).length, 28);
    t.match(await api.call("POST", "/v1/cli/device", { body: { hostname: "d".repeat(256) } }), {
      status: 400,
    });
    const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "client_id=cli" };
    t.match(await api.call("POST", "/v1/cli/device", form), { status: 200 }, "a form, as RFC 8628 has it");
  });
});

t.test("an address asks at most 120 times a minute", async (t) => {
  await withIdleApi(async (api) => {
    api.clock.hold();
    const { device_code } = await begin(api);
    for (let count = 1; count < 120; count++) t.equal((await ask(api, device_code)).status, 200);
    const refused = await ask(api, device_code);
    t.match(refused, error(429, "RATE_LIMITED"));
    t.match(refused.headers.get("retry-after"), /^\d+$/);
  });
});
