// `avatar accounts …`: the operator's commands for accounts.
import t from "tap";
import { findBySecret } from "../../../../api/accounts/secrets/secret-store.ts";
import { redeemSignInLink } from "../../../../api/accounts/sign-in/sign-in-links.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

t.test("an operator can open, top up, show and list accounts, and issue secrets", async (t) => {
  const folder = t.testdir();
  await withDatabase(({ database, url }) =>
    withAvatarCommand(folder, async (command) => {
      const run = (words: string[]) => command(["accounts", ...words], { DATABASE_URL: url, AVATAR_DATA_DIR: folder });
      const json = async (...words: string[]) => {
        const { code, stdout, stderr } = await run([...words, "--json"]);
        t.equal(code, 0, stderr);
        return JSON.parse(stdout);
      };
      const email = "ada@example.test";
      const created = await json("create", "--email", email, "--plan", "pro", "--credits", "30");
      t.equal((await findBySecret(database, created.secret))?.account.userId, created.user_id);

      const topup = ["topup", "ADA@example.test", "--credits", "20", "--reference", "invoice-1"];
      t.match(await json(...topup), {
        schema_version: 1,
        user_id: created.user_id,
        added: 20,
        pool: "topup",
        balance: 50,
      });
      t.match(await json(...topup), { added: 0, balance: 50 }, "the same reference counts once");
      t.match(await json("topup", created.user_id, "--credits", "5", "--pool", "reward"), { added: 5, balance: 55 });

      const issued = await json("add-secret", email, "--alias", "cli@desk");
      t.match(issued, { user_id: created.user_id, alias: "cli@desk", secret: /^.{65}$/ });
      t.equal((await findBySecret(database, issued.secret))?.isRevoked, false);

      const shown = await run(["show", email, "--json"]);
      t.match(JSON.parse(shown.stdout), {
        email,
        plan: "pro",
        account_status: "active",
        balance: 55,
        plan_credits: 30,
        reward_credits: 5,
        topup_credits: 20,
        secrets: [{ alias: "default", last_four: created.secret.slice(-4) }, { alias: "cli@desk" }],
      });
      t.notOk(shown.stdout.includes(created.secret) || shown.stdout.includes(issued.secret), "no value is shown again");
      t.match((await run(["show", email])).stdout, /Credits {2}55: plan 30, reward 5, top-up 20/);

      const linked = await json("link", email);
      t.match(linked, { user_id: created.user_id, url: /\/console\/sign-in#link=[\w-]{43}$/, expires_at: /^20/ });
      const value = linked.url.split("#link=")[1];
      t.equal(await redeemSignInLink(database, value, new Date()), created.user_id);
      t.equal(await redeemSignInLink(database, value, new Date()), null, "it works once");
      t.match(await run(["link", email]), { code: 0, stdout: /^http.*\n$/, stderr: /once, within 10 minutes/ });

      const bob = await json("create", "--email", "bob@example.test");
      const { accounts } = await json("list");
      t.same(
        accounts.map((account: { email: string; balance: number }) => [account.email, account.balance]),
        [
          ["bob@example.test", 1800],
          [email, 55],
        ],
      );
      t.equal((await json("list", "--limit", "1")).accounts.length, 1);

      t.match(await json("set-plan", "bob@example.test", "pro"), {
        user_id: bob.user_id,
        plan: "pro",
        balance: 10_000,
      });
      t.match(await json("set-plan", "bob@example.test", "pro"), { balance: 10_000 }, "a month is not granted twice");
      t.match((await run(["show", "bob@example.test"])).stdout, /Plan {5}Pro, active, renews on 20\d\d-/);
      t.match(await json("grant", "bob@example.test", "--credits", "7"), { added: 7, pool: "reward", balance: 10_007 });
      t.match(await json("suspend", "bob@example.test"), { user_id: bob.user_id, account_status: "suspended" });
      t.equal((await findBySecret(database, bob.secret))?.account.status, "suspended");
      t.match(await json("resume", "bob@example.test"), { account_status: "active" });
      t.equal((await findBySecret(database, bob.secret))?.account.status, "active");
      t.match(await json("revoke-secret", "bob@example.test", "--alias", "default"), { alias: "default" });
      t.equal((await findBySecret(database, bob.secret))?.isRevoked, true);

      const refused = async (words: string[], code: number) => {
        const outcome = await run([...words, "--json"]);
        t.equal(outcome.code, code, words.join(" "));
        t.equal(outcome.stdout, "");
        return JSON.parse(outcome.stderr).error;
      };
      t.match(await refused(["show", "nobody@example.test"], 66), { kind: "no_input", message: /no account/ });
      const free = "free@example.test";
      await json("create", "--email", free, "--plan", "free");
      await refused(["link", "nobody@example.test"], 66);
      await refused(["topup", free, "--credits", "1"], 77);
      await refused(["grant", free, "--pool", "topup", "--credits", "1"], 77);
      await refused(["topup", crypto.randomUUID(), "--credits", "1"], 66);
      await refused(["topup", email, "--credits", "0"], 2);
      await refused(["topup", email], 2);
      await refused(["add-secret", email, "--alias", "a/b"], 2);
      await refused(["set-plan", email, "gold"], 2);
      await refused(["revoke-secret", email, "--alias", "nothing"], 66);
      t.match(await refused(["add-secret", email, "--alias", "cli@desk"], 1), { message: /already/ });

      const former = await command(["account", "create", "--email", email]);
      t.match(former, { code: 2, stderr: /avatar account create is now avatar accounts create\.\n/ });
    }),
  );
});
