// Tokens: each kind is valid only for its own purpose and until it expires.
import { SignJWT } from "jose";
import t from "tap";
import { createMarkingLinks } from "../../../../api/agents/marks/marking-links.ts";
import { createFileLinks } from "../../../../api/kernel/storage/file-links.ts";
import { deriveKey } from "../../../../api/kernel/tokens/derive-key.ts";
import { createTextSeal } from "../../../../api/kernel/tokens/sealed-text.ts";
import { createTokens, type EmbedClaims, TOKEN_ISSUER } from "../../../../api/kernel/tokens/tokens.ts";

const signingKey = new Uint8Array(32).fill(7);
const sub = "11111111-1111-4111-8111-111111111111";
const key = "22222222-2222-4222-8222-222222222222";
const refused = { code: "UNAUTHORIZED" };

t.test("a token of one kind is not accepted as another kind", async (t) => {
  const tokens = createTokens({ signingKey, now: Date.now });
  const everything = {
    sub,
    key,
    agent: "A",
    room: "r",
    lk: "ws://x",
    jti: "j",
    sid: "s",
    endUserId: "e",
    model: null,
    dispatch: 1,
  };
  const kinds = ["runtime", "runtimeSession", "launch", "modelDownload", "embed"] as const;
  for (const minted of kinds) {
    const { token } = await tokens[minted].mint(everything);
    for (const asked of kinds) {
      const verify = async (): Promise<unknown> => tokens[asked].verify(token);
      if (asked === minted) await t.resolves(verify(), `${minted} is what it is`);
      else await t.rejects(verify(), refused, `${minted} is no ${asked} token`);
    }
  }
});

t.test(
  "each kind has its own key; tokens of the former shared key are accepted for an hour after the upgrade",
  async (t) => {
    let nowMs = Date.parse("2030-01-01T00:00:00Z");
    const now = () => nowMs;
    const older = await new SignJWT({ sub, key })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(TOKEN_ISSUER)
      .setAudience("service-runtime")
      .setExpirationTime(nowMs / 1000 + 7200)
      .sign(signingKey);
    await t.rejects(createTokens({ signingKey, now }).runtime.verify(older), refused, "a fresh installation has none");
    const upgraded = createTokens({ signingKey, undividedKeyUntilMs: nowMs + 3_600_000, now });
    t.match(await upgraded.runtime.verify(older), { sub, key });
    await t.rejects(upgraded.embed.verify(older), refused, "it is still of its kind only");
    nowMs += 3_600_000;
    await t.rejects(upgraded.runtime.verify(older), refused);
  },
);

t.test("texts and links that earlier versions sealed or signed are still accepted", async (t) => {
  const sealed = Buffer.from("2PxMQEhRE4yVvvKovKlRpz1y/W5BdyKYhvFoPeIRUDTNvxdkNngbVlGrbgN945yhPXSJ", "base64");
  t.equal(createTextSeal(signingKey, "one").open(sealed), "the caller's join token");
  const links = createFileLinks({ publicUrl: "https://avatars.example", signingKey, now: () => 0 });
  const signature = "woTLWx9kL4SFaTAqBUkt3txZVeZT0nIvWcqJEuWb8O8";
  t.ok(links.verify("portraits/a.png", { expires: "never", signature }), "a permanent link");
  const marks = createMarkingLinks({ publicUrl: "https://avatars.example", signingKey, now: () => 0 });
  t.ok(marks.verify({ id: "a", revision: 2 }, "1000.fYFNF2zjZyzze5ETj3yo_WkjCsen390CGEFiNZZSAwo"));
});

t.test("an expired token is refused according to the service's clock, not the machine's", async (t) => {
  let nowMs = Date.parse("2030-01-01T00:00:00Z");
  const tokens = createTokens({ signingKey, now: () => nowMs });
  const runtime = await tokens.runtime.mint({ sub, key });
  const launch = await tokens.launch.mint({ sub, key, agent: "A", room: "r", lk: "ws://x", jti: "j", model: null });
  t.equal(runtime.expiresAt, nowMs / 1000 + 300);
  t.equal(launch.expiresAt, nowMs / 1000 + 3600);
  nowMs += 299_000;
  await t.resolves(tokens.runtime.verify(runtime.token));
  nowMs += 1_000;
  await t.rejects(tokens.runtime.verify(runtime.token), { ...refused, message: /expired/ });
  t.match(await tokens.launch.verify(launch.token), { agent: "A", room: "r", jti: "j" });
  nowMs += 3_300_000;
  await t.rejects(tokens.launch.verify(launch.token), refused);
});

t.test("an embed token may identify its visitor by either of the contract's claims", async (t) => {
  const tokens = createTokens({ signingKey, now: Date.now });
  const claims = { sub, key, sid: "s", agent: "A", model: null };
  const { token } = await tokens.embed.mint({ ...claims, fingerprint: "f00d" } as unknown as EmbedClaims);
  t.match(await tokens.embed.verify(token), { endUserId: "f00d" });
  const { token: nameless } = await tokens.embed.mint(claims as unknown as EmbedClaims);
  await t.rejects(tokens.embed.verify(nameless), refused);
});

t.test("a forged token is refused", async (t) => {
  const tokens = createTokens({ signingKey, now: Date.now });
  const { token } = await tokens.runtime.mint({ sub, key });
  const [header, payload, signature] = token.split(".");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const runtimeKey = deriveKey(signingKey, "token:service-runtime");
  const forge = (secret: Uint8Array, lifetime: string | null, issuer = TOKEN_ISSUER) => {
    const jwt = new SignJWT({ sub, key })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(issuer)
      .setAudience("service-runtime");
    return (lifetime === null ? jwt : jwt.setExpirationTime(lifetime)).sign(secret);
  };
  const forged = {
    "without a signature": `${none}.${payload}.`,
    "with another payload": `${header}.${Buffer.from(JSON.stringify({ sub: key, key })).toString("base64url")}.${signature}`,
    "under another key": await forge(new Uint8Array(32), "1h"),
    "from another issuer": await forge(runtimeKey, "1h", "someone"),
    "under the signing key itself": await forge(signingKey, "1h"),
    "without an expiry": await forge(runtimeKey, null),
    "no token at all": "nonsense",
  };
  for (const [how, text] of Object.entries(forged)) await t.rejects(tokens.runtime.verify(text), refused, how);
});

t.test("sealed text opens only with its own key and purpose, and not if it was changed", async (t) => {
  const seal = createTextSeal(signingKey, "one");
  const sealed = seal.seal("the caller's join token");
  t.equal(seal.open(sealed), "the caller's join token");
  t.notSame(seal.seal("the caller's join token"), sealed, "the same text never looks the same");
  t.throws(() => createTextSeal(signingKey, "two").open(sealed));
  t.throws(() => createTextSeal(new Uint8Array(32), "one").open(sealed));
  sealed[sealed.length - 1] ^= 1;
  t.throws(() => seal.open(sealed));
});
