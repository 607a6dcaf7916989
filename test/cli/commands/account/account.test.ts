// `avatar login`, `logout` and `account` against a real service.
import { spawn } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { checkShape } from "../../../helpers/service/check-shape.ts";
import { type ConsoleBrowser, signIn } from "../../../helpers/service/sign-in.ts";
import { type TestApi, withIdleApi } from "../../../helpers/service/with-api.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const AVATAR = fileURLToPath(new URL("../../../../cli/avatar.mjs", import.meta.url));
/** Nothing listens there. */
const AWAY = "http://127.0.0.1:9";
const NO_SIGN_IN = { AVATAR_API_URL: "", AVATAR_API_SECRET: "", AVATAR_API_KEY: "", DISPLAY: "", BROWSER: "" };

/** Runs a command in a process of its own; `input` goes to its standard input. */
function start(words: string[], environment: Record<string, string>, input = "") {
  const child = spawn(process.execPath, [AVATAR, ...words], { env: { ...process.env, ...NO_SIGN_IN, ...environment } });
  child.stdin.on("error", () => undefined).end(input);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const stdout = text(child.stdout);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    child,
    /** The code that the person is shown. */
    async userCode(): Promise<string> {
      await waitFor(() => /confirm the code/.test(stderr), "the code is shown", 120_000);
      return /[B-Z]{4}-[B-Z]{4}/.exec(stderr.slice(stderr.indexOf("confirm the code")))?.[0] ?? "";
    },
    async ended() {
      const outcome = { code: await code, stdout: await stdout, stderr };
      checkShape(words, outcome);
      return outcome;
    },
  };
}

function decide(browser: ConsoleBrowser, user_code: string, is_confirmed: boolean) {
  return browser.call("POST", "/console/device/decide", { body: { user_code, is_confirmed } });
}

async function aliasesOf(api: TestApi, userId: string, secret: string): Promise<string[]> {
  const { body } = await api.call("GET", `/v2/${userId}/api-secrets`, { secret });
  return body.data.map(({ alias }: { alias: string }) => alias).sort();
}

t.test(
  "login fetches a secret once it is confirmed, signing in again replaces it, and logout revokes it",
  async (t) => {
    const folder = t.testdir();
    await withIdleApi(async (api) => {
      const { account, secret } = await api.addAccount({ credits: 40 });
      const browser = await signIn(api, account.userId);
      const opened = join(folder, "opened");
      await writeFile(join(folder, "browser"), `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
      const environment = { AVATAR_CONFIG_FILE: join(folder, "config", "own.json"), BROWSER: join(folder, "browser") };

      const first = start(["login", "--url", api.baseUrl], environment);
      const code = await first.userCode();
      await waitFor(
        () =>
          stat(opened).then(
            ({ size }) => size > 0,
            () => false,
          ),
        "the browser is opened",
        60_000,
      );
      t.equal(await readFile(opened, "utf8"), `${api.baseUrl}/device?code=${code}`);
      t.match(await decide(browser, code, true), { status: 200 });
      const signedIn = await first.ended();
      t.match(signedIn, { code: 0, stdout: `Signed in at ${api.baseUrl} as ${account.email}.\n` }, signedIn.stderr);
      t.match(signedIn.stderr, /called cli@\S+; it is kept in /);
      const config = await readFile(environment.AVATAR_CONFIG_FILE, "utf8");
      const [stored] = Object.values<{ api_secret: string; alias: string }>(JSON.parse(config).services);
      t.notOk(`${signedIn.stdout}${signedIn.stderr}`.includes(stored.api_secret), "the secret is not shown");
      t.same(await aliasesOf(api, account.userId, secret), [stored.alias, "test"].sort());

      // Two logins at once: one of the two secrets stays, the other is revoked.
      const two = [1, 2].map(() => start(["login", "--device", "--json", "--url", api.baseUrl], environment));
      for (const login of two) await decide(browser, await login.userCode(), true);
      const outcomes = await Promise.all(two.map((login) => login.ended()));
      const results = outcomes.map(({ stdout }) => JSON.parse(stdout));
      for (const [k, { code, stderr }] of outcomes.entries()) {
        t.equal(code, 0, stderr);
        t.match(
          stderr,
          new RegExp(`Open this page:\n\n {2}${api.baseUrl}/device\n`),
          "--device shows the short address",
        );
        t.match(results[k], { email: account.email, url: api.baseUrl });
      }
      const [kept] = Object.values<{ alias: string }>(
        JSON.parse(await readFile(environment.AVATAR_CONFIG_FILE, "utf8")).services,
      );
      t.same(await aliasesOf(api, account.userId, secret), [kept.alias, "test"].sort());

      const again = start(["login", "--device", "--json", "--url", api.baseUrl], environment);
      await decide(browser, await again.userCode(), true);
      const { alias, replaced } = JSON.parse((await again.ended()).stdout);
      t.same([alias, replaced], [stored.alias, kept.alias], "one secret, of the computer's name");
      t.same(await aliasesOf(api, account.userId, secret), [stored.alias, "test"].sort());

      await withAvatarCommand(folder, async (command) => {
        const run = (...words: string[]) => command(words, { ...NO_SIGN_IN, ...environment });
        await testAccount(t, api, { run, email: account.email });
        const out = JSON.parse((await run("logout", "--json")).stdout);
        t.match(out, { logged_out: true, revoked: true, email: account.email });
        t.same(await aliasesOf(api, account.userId, secret), ["test"]);
        t.match(await run("logout"), { code: 0, stdout: /^You were not signed in at / });
      });
    });
  },
);

async function testAccount(
  t: Test,
  api: TestApi,
  {
    run,
    email,
  }: { run: (...words: string[]) => Promise<{ code: number; stdout: string; stderr: string }>; email: string },
): Promise<void> {
  for (const words of [
    ["account", "--json"],
    ["--json", "whoami", "--limit", "3"],
  ]) {
    const { code, stdout, stderr } = await run(...words);
    t.equal(code, 0, stderr);
    const shown = JSON.parse(stdout);
    const expected = { logged_in: true, source: "file", url: api.baseUrl, email, plan: "pro", credit_balance: 40 };
    t.match(shown, { ...expected, account_status: "active", out_of_credits: false, usage: [] });
  }
  const plain = await run("account");
  t.match(
    plain.stdout,
    new RegExp(`^${email} at ${api.baseUrl} \\(avatar login\\)\nPlan {5}pro, active\nCredits {2}40\n$`),
  );
  t.match(await run("account", "--limit", "0"), { code: 2, stderr: /--limit must be a whole number from 1 to 200/ });
  t.match(await run("account", "--colour"), { code: 2, stderr: /Unknown option '--colour'/ });
}

t.test("a code that is denied or expires signs no one in", async (t) => {
  const folder = t.testdir();
  await withIdleApi(async (api) => {
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    api.clock.hold();
    const environment = { AVATAR_CONFIG_FILE: join(folder, "own.json") };
    const denied = start(["login", "--json", "--url", api.baseUrl], environment);
    await decide(browser, await denied.userCode(), false);
    const late = start(["login", "--url", api.baseUrl], environment);
    await late.userCode();
    api.clock.advance(600_000);
    const refused = await denied.ended();
    t.match(refused, { code: 77, stdout: "" });
    const error = JSON.parse(refused.stderr.trimEnd().split("\n").at(-1) ?? "").error;
    t.match(error, { code: "TOKEN_REJECTED", kind: "no_permission", command: "login" });
    t.match(await late.ended(), {
      code: 77,
      stderr: /The code has expired before it was confirmed\. Run avatar login/,
    });

    const left = start(["login", "--url", api.baseUrl], environment);
    await left.userCode();
    left.child.kill("SIGINT");
    t.match(await left.ended(), { code: 130, stdout: "", stderr: /Interrupted\. You are not signed in\.\n$/ });
    t.equal(await stat(environment.AVATAR_CONFIG_FILE).catch(() => "no file"), "no file");
  });
});

t.test("login --with-token keeps a secret that works, and logout leaves it as it is", async (t) => {
  const folder = t.testdir();
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const environment = { AVATAR_CONFIG_FILE: join(folder, "own.json") };
    const login = ["login", "--with-token", "--url", api.baseUrl];
    const signedIn = await start(login, environment, `${secret}\n`).ended();
    t.match(signedIn, { code: 0, stdout: `Signed in at ${api.baseUrl} as ${account.email}.\n`, stderr: "" });
    t.match(await start(login, environment, "no-secret\n").ended(), {
      code: 77,
      stdout: "",
      stderr: /does not accept/,
    });
    t.match(await start(login, environment, "").ended(), { code: 2, stderr: /no secret/ });
    t.match(await start(login, environment, "x".repeat(100_000)).ended(), { code: 2, stderr: /more than 4096 bytes/ });
    const away = await start(["login", "--with-token", "--json", "--url", AWAY], environment, secret).ended();
    t.match(away, { code: 69, stdout: "" });
    t.match(JSON.parse(away.stderr).error, { code: "TOKEN_UNVERIFIED", message: /127\.0\.0\.1:9 cannot be reached/ });
    await withAvatarCommand(folder, async (command) => {
      const run = (words: string[], more: Record<string, string> = {}) =>
        command(words, { ...NO_SIGN_IN, ...environment, ...more });
      t.match(await run(["account"]), { code: 0, stdout: new RegExp(account.email) }, "the first sign-in is kept");
      const own = { AVATAR_API_SECRET: "x", AVATAR_API_URL: api.baseUrl };
      t.match(await run(["account"], own), { code: 77, stderr: /avatar login signs you in/ }, "the environment wins");
      const out = await run(["logout"]);
      t.match(out, { code: 0, stdout: /^Signed out/, stderr: /pasted secret still works/ });
      t.match(await api.call("GET", "/v1/me", { secret }), { status: 200 });
      const shown = JSON.parse((await run(["account", "--json"])).stdout);
      t.match(shown, { logged_in: false, source: null, usage: [] });
    });
  });
});
