// Signing in to the console at an OpenID Connect issuer.
import t from "tap";
import { type TestIssuer, withIssuer } from "../../../helpers/servers/with-issuer.ts";
import { browserWith, cookieOf, OWN_PAGE, sendProof } from "../../../helpers/service/sign-in.ts";
import { type TestApi, withIdleApi } from "../../../helpers/service/with-api.ts";

const error = (status: number, code: string) => ({ status, body: { error: { code } } });

function withApiAndIssuer(work: (api: TestApi, issuer: TestIssuer) => Promise<void>): Promise<void> {
  return withIssuer((issuer) =>
    withIdleApi((api) => work(api, issuer), {
      environment: {
        AVATAR_OIDC_ISSUER: issuer.url,
        AVATAR_OIDC_CLIENT_ID: issuer.clientId,
        AVATAR_OIDC_CLIENT_SECRET: issuer.clientSecret,
        AVATAR_OIDC_NAME: "Example",
      },
    }),
  );
}

/** Goes to the issuer and back, as a browser does. */
async function goThere(api: TestApi, issuer: TestIssuer): Promise<{ callback: string; cookie: string }> {
  const begun = await api.call("POST", "/console/issuer", { headers: OWN_PAGE, body: {} });
  return { callback: issuer.signIn(begun.body.url), cookie: cookieOf(begun) };
}

t.test("the issuer's person gets the account with their verified address, and keeps it", async (t) => {
  await withApiAndIssuer(async (api, issuer) => {
    const { account } = await api.addAccount();
    t.match((await api.call("GET", "/console/session", { headers: OWN_PAGE })).body, { issuer: "Example" });
    const begun = await api.call("POST", "/console/issuer", { headers: OWN_PAGE, body: {} });
    const { searchParams } = new URL(begun.body.url);
    t.match(Object.fromEntries(searchParams), { code_challenge_method: "S256", scope: "openid email" });
    t.match(begun.headers.get("set-cookie"), /^avatar-sign-in=.*; HttpOnly; SameSite=Lax; Max-Age=600/);

    issuer.person = { sub: "ada", email: account.email.toUpperCase(), email_verified: true };
    const callback = issuer.signIn(begun.body.url);
    const page = await api.call("GET", `/console/callback?${callback}`, { headers: { cookie: cookieOf(begun) } });
    t.notOk(page.headers.get("set-cookie"), "a GET signs no one in");
    const answer = await sendProof(api, { callback }, { cookie: cookieOf(begun) });
    t.match(answer, { status: 200, body: { signed_in: true } });
    const browser = browserWith(api, cookieOf(answer));
    t.match((await browser.call("GET", "/console/session")).body, { email: account.email });
    t.match((await browser.call("GET", "/console/sign-ins")).body.data, [{ method: "issuer" }]);
    t.match(await sendProof(api, { callback }, { cookie: cookieOf(begun) }), error(401, "UNAUTHORIZED"), "twice");

    issuer.person = { sub: "ada", email: "renamed@example.test", email_verified: true };
    const again = await goThere(api, issuer);
    const later = await sendProof(api, { callback: again.callback }, { cookie: again.cookie });
    t.match((await browserWith(api, cookieOf(later)).call("GET", "/console/session")).body, { email: account.email });
  });
});

t.test("people without an account, forged answers and foreign states are refused", async (t) => {
  await withApiAndIssuer(async (api, issuer) => {
    api.clock.hold();
    const { account } = await api.addAccount();
    const attempt = async () => {
      const { callback, cookie } = await goThere(api, issuer);
      return sendProof(api, { callback }, { cookie });
    };
    issuer.person = { sub: "eve", email: "eve@example.test", email_verified: true };
    t.match(await attempt(), { ...error(403, "FORBIDDEN"), body: { error: { message: /eve@example\.test/ } } });
    issuer.person = { sub: "eve", email: account.email, email_verified: false };
    t.match(await attempt(), error(403, "FORBIDDEN"), "an address that is not verified");
    issuer.person = { sub: "eve" };
    t.match(await attempt(), error(403, "FORBIDDEN"), "no address");

    issuer.person = { sub: "ada", email: account.email, email_verified: true };
    const forgeries = [
      { iss: "https://elsewhere.example" },
      { aud: "another client" },
      { nonce: "another" },
      { isForeignKey: true },
    ];
    for (const forged of forgeries) {
      issuer.forged = forged;
      t.match(await attempt(), error(401, "UNAUTHORIZED"), JSON.stringify(forged));
    }
    issuer.forged = {};
    const { callback, cookie } = await goThere(api, issuer);
    const other = await goThere(api, issuer);
    t.match(await sendProof(api, { callback }), error(401, "UNAUTHORIZED"), "without the state's cookie");
    const foreign = { cookie: other.cookie };
    t.match(await sendProof(api, { callback }, foreign), error(401, "UNAUTHORIZED"), "with that of another browser");
    const changed = { cookie: `${cookie.slice(0, -2)}AA` };
    t.match(await sendProof(api, { callback }, changed), error(401, "UNAUTHORIZED"), "with a forged one");
    t.match(await sendProof(api, { callback: "error=access_denied" }, { cookie }), error(401, "UNAUTHORIZED"));
    api.clock.advance(10 * 60_000);
    t.match(await sendProof(api, { callback }, { cookie }), error(401, "UNAUTHORIZED"), "after ten minutes");
  });
});

t.test("an issuer that does not answer, and none at all", async (t) => {
  await withIdleApi(
    async (api) => {
      const answer = await api.call("POST", "/console/issuer", { headers: OWN_PAGE, body: {} });
      t.match(answer, error(502, "UPSTREAM_UNAVAILABLE"));
    },
    { environment: { AVATAR_OIDC_ISSUER: "http://127.0.0.1:9", AVATAR_OIDC_CLIENT_ID: "console" } },
  );
  await withIdleApi(async (api) => {
    t.match(await api.call("POST", "/console/issuer", { headers: OWN_PAGE, body: {} }), error(404, "NOT_FOUND"));
    t.match(await sendProof(api, { callback: "code=x" }), error(400, "VALIDATION_ERROR"));
  });
});
