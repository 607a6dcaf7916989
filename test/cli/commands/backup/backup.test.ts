// `avatar backup` and `avatar restore`: a service in other folders goes on with the same accounts, agents and files.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";
import t, { type Test } from "tap";
import { createAccount } from "../../../../api/accounts/account-store.ts";
import { grantCredits } from "../../../../api/accounts/credits/ledger.ts";
import { createDatabase, createPool } from "../../../../api/kernel/database/database.ts";
import { migrate } from "../../../../api/kernel/database/migrate.ts";
import { addJob } from "../../../../api/kernel/jobs/add-job.ts";
import { installJobTables } from "../../../../api/kernel/jobs/job-runner.ts";
import { MIGRATIONS } from "../../../../api/migrations/migrations.ts";
import type { BackupManifest } from "../../../../cli/commands/backup/backup-format.ts";
import { dumpDatabase } from "../../../../cli/commands/backup/dump-database.ts";
import { makeBackup } from "../../../../cli/commands/backup/make-backup.ts";
import { parseConfig } from "../../../../program/config.ts";
import { createLogger } from "../../../../program/log.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { type TestApi, withApiOn } from "../../../helpers/service/with-api.ts";
import { type RunAvatar, withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

const IDLE = { background: false } as const;

/** What `avatar backup` wrote before format 2; see its README. */
const FORMAT_1 = fileURLToPath(new URL("../../../fixtures/backup-format-1", import.meta.url));
/** Characters that a format of lines has to keep apart from its own. */
const AWKWARD_TEXT = 'tab\t, "quoted", \\N, \\t, line\nfeed, return\r, line\u2028separator, ü𝄞, nul';

interface Place {
  databaseUrl: string;
  dataDir: string;
}

t.test("a restored service has the same accounts, balances, agents, files and waiting jobs", async (t) => {
  await withPlaces(t, async ({ run, from, to, backup }) => {
    const made = await withApiOn(from, (api) => fillService(t, api, run, from, backup), IDLE);
    t.equal((await modeOf(backup)) & 0o077, 0, "the folder is closed to others");
    const outcome = await restore(run, to, backup);
    t.equal(outcome.code, 0, outcome.stderr);
    t.match(JSON.parse(outcome.stdout), { schema_version: 1, files: made.files, jobs: 1 });

    await withApiOn(
      to,
      async (api) => {
        const { secret, agentCode, model, userId } = made;
        const agents = await api.call("GET", "/v1/agents", { secret });
        t.same(withoutOrigin(api, agents.body), made.agents, "the old secret lists the same agents");
        const summaries = await api.call("GET", "/v2/credit-summaries", { secret });
        t.same(summaries.body, made.summaries);
        const link = await api.call("GET", `/v1/agent/${agentCode}/model/download?redirect=false`, { secret });
        const { pathname, search } = new URL(link.body.data.url);
        t.equal((await api.call("GET", pathname + search)).body, model, "the bundle has the same bytes");
        t.equal((await api.call("GET", made.earlierLink)).body, model, "a link that was signed before still works");
        const next = {
          userId,
          pool: "reward",
          amountCredits: 5,
          reason: "test",
          reference: "later",
          at: new Date(),
        } as const;
        t.ok(await grantCredits(api.services.database, next), "identities go on where they were");
      },
      IDLE,
    );
    t.same(await jobsOf(to), [{ identifier: "deliver_webhooks", key: "later", payload: { lane: "x" } }]);
    await assertBalanced(t, to);
  });
});

t.test(
  "a backup that is made while credits move is of one moment, and a backup of its restoration is the same",
  async (t) => {
    await withPlaces(t, async ({ run, from, to, backup }) => {
      await withApiOn(
        from,
        async (api) => {
          const { account } = await api.addAccount({ credits: 100 });
          const { userId } = account;
          let isDone = false;
          const moving = (async () => {
            for (let number = 0; !isDone; number++) {
              const grant = { userId, pool: "topup", amountCredits: 1, reason: "test", at: new Date() } as const;
              await grantCredits(api.services.database, { ...grant, reference: `grant-${number}` });
              await addAgent(api.services, { userId });
            }
          })();
          t.equal((await save(run, from, backup)).code, 0);
          isDone = true;
          await moving;
        },
        IDLE,
      );
      t.equal((await restore(run, to, backup)).code, 0);
      await assertBalanced(t, to);
      await withApiOn(
        to,
        async ({ services }) => {
          // A model that was being made at that moment has no file yet.
          const models = await services.database
            .selectFrom("agent_models")
            .select("artifact_key")
            .where("artifact_key", "is not", null)
            .execute();
          t.ok(models.length > 0);
          for (const { artifact_key: key } of models)
            t.ok(await services.storage.sizeOf(key ?? ""), "no file is missing");
        },
        IDLE,
      );
      const second = `${backup}-again`;
      t.equal((await save(run, to, second)).code, 0);
      for (const { name } of (await manifestOf(backup)).tables) {
        t.same(await linesOf(second, name), await linesOf(backup, name), name);
      }
    });
  },
);

t.test("a backup with the tables of an earlier version is restored, then migrated", async (t) => {
  await withPlaces(t, async ({ run, from, to, backup }) => {
    const earlier = MIGRATIONS.slice(0, -1);
    for (const place of [from, to]) {
      await withClient(place, (client) => client.query("drop schema public cascade; create schema public"));
    }
    const pool = createPool({ url: from.databaseUrl, logger: createLogger({ level: "silent", name: "test" }) });
    const database = createDatabase(pool);
    await migrate(database, earlier);
    const account = await createAccount(database, { email: "ada@example.test", plan: "pro", createdAt: new Date() });
    const userId = account?.userId ?? "";
    const grant = {
      userId,
      pool: "plan",
      amountCredits: 12,
      reason: "test",
      reference: "start",
      at: new Date(),
    } as const;
    await grantCredits(database, grant);
    await database.destroy();

    t.equal((await save(run, from, backup)).code, 0);
    t.equal((await manifestOf(backup)).migrations.length, earlier.length);
    const outcome = await restore(run, to, backup);
    t.equal(outcome.code, 0, outcome.stderr);
    await assertBalanced(t, to);
    await withClient(to, async (client) => {
      const { rows } = await client.query<{ name: string }>("select name from schema_migrations order by name");
      t.equal(rows.length, MIGRATIONS.length);
      t.match((await client.query("select plan_credits from credit_balances")).rows, [{ plan_credits: "12" }]);
    });
  });
});

t.test("a backup of format 1 is restored: every text as it was, and the waiting jobs", async (t) => {
  await withPlaces(t, async ({ run, to }) => {
    // The tables of the tests are of a later version than that backup.
    await withClient(to, (client) => client.query("drop schema public cascade; create schema public"));
    const outcome = await restore(run, to, FORMAT_1);
    t.equal(outcome.code, 0, outcome.stderr);
    await withClient(to, async (client) => {
      const { rows } = await client.query(
        "select name, description, deleted_at, agent_models.state from agents, agent_models",
      );
      t.same(rows, [{ name: AWKWARD_TEXT, description: "", deleted_at: null, state: "ready" }]);
    });
    t.same(await jobsOf(to), [
      { identifier: "deliver_webhooks", key: "later", payload: { lane: "line\u2028separator" } },
    ]);
    await assertBalanced(t, to);
  });
});

t.test(
  "a damaged, incomplete or later backup, and a database in use, are refused before anything changes",
  async (t) => {
    await withPlaces(t, async ({ run, from, to, backup }) => {
      await withApiOn(from, (api) => fillService(t, api, run, from, backup), IDLE);
      const refused = async (exitCode: number, message: RegExp, place = to) => {
        const { code, stderr, stdout } = await restore(run, place, backup);
        t.equal(code, exitCode, stderr);
        t.equal(stdout, "");
        t.match(JSON.parse(stderr).error.message, message);
        await withClient(to, async (client) => {
          t.equal((await client.query("select 1 from accounts")).rowCount, 0, "no row was restored");
        });
      };
      await refused(2, /not empty/, from);
      t.equal((await save(run, from, backup)).code, 2, "a folder that is in use is not overwritten");

      const table = join(backup, "database", "accounts.copy.gz");
      const object = join(backup, "objects", "models", (await readdir(join(backup, "objects", "models")))[0]);
      for (const file of [table, object]) {
        const content = await readFile(file);
        await writeFile(file, Buffer.concat([content, Buffer.from("x")]));
        await refused(66, /damaged/);
        await rm(file);
        await refused(66, /damaged/);
        await writeFile(file, content);
      }
      const manifestFile = join(backup, "manifest.json");
      const manifest = await readFile(manifestFile, "utf8");
      await writeFile(manifestFile, manifest.replace('"format": 2', '"format": 3'));
      await refused(66, /later version wrote it/);
      await writeFile(manifestFile, manifest.replace('"migrations": [', '"migrations": ["9999-later",'));
      await refused(66, /later version/);
      await rm(manifestFile);
      await refused(66, /no complete backup/);
      const rows = await readFile(table);
      const replaceRows = async (content: Buffer) => {
        await writeFile(table, content);
        await writeFile(manifestFile, manifest.replace(hashOf(rows), hashOf(content)));
      };
      await replaceRows(rows.subarray(0, -12));
      await refused(70, /unexpected end of file/);
      await replaceRows(gzipSync(Buffer.concat([gunzipSync(rows), gunzipSync(rows)])));
      await refused(70, /duplicate key/);
      await replaceRows(rows);
      t.equal((await restore(run, to, backup)).code, 0, "the mended backup is restored after all");
    });
  },
);

t.test("a backup fails at once if a file cannot be written, in the middle of a large table, too", async (t) => {
  await withPlaces(t, async ({ from, backup }) => {
    await mkdir(join(backup, "database"), { recursive: true });
    await writeFile(join(backup, "database", "wide.copy.gz"), "");
    await withClient(from, async (client) => {
      await client.query("create table wide as select repeat('x', 1000) from generate_series(1, 20000)");
      await t.rejects(
        dumpDatabase(client, backup, () => undefined),
        { code: "EEXIST" },
      );
    });
  });
});

t.test("an interrupted or failed backup leaves nothing", async (t) => {
  await withPlaces(t, async ({ run, from, backup }) => {
    const made = await withApiOn(from, (api) => fillService(t, api, run, from, backup), IDLE);
    t.ok(made.files > 0);
    const environment = { DATABASE_URL: from.databaseUrl, AVATAR_DATA_DIR: from.dataDir };
    const config = parseConfig(environment, ["database", "disk", "bucket"]);
    const begin = (folder: string, at: RegExp) => {
      const interrupted = new AbortController();
      const onProgress = (line: string) => {
        if (at.test(line)) interrupted.abort();
      };
      return makeBackup({ config, folder, withFiles: true, signal: interrupted.signal, onProgress });
    };
    const next = `${backup}-2`;
    await t.rejects(begin(next, /^files: 1 /), { name: "AbortError" }, "among the files");
    await t.rejects(readdir(next), { code: "ENOENT" });
    await mkdir(next);
    await t.rejects(begin(next, /^database: table 3 /), { name: "AbortError" }, "among the tables");
    t.same(await readdir(next), [], "a folder that was there stays");
    await writeFile(join(next, "other.txt"), "mine");
    await t.rejects(begin(next, /^never$/), { kind: "usage", message: /is not empty/ });
    t.same(await readdir(next), ["other.txt"]);
  });
});

interface Places {
  run: RunAvatar;
  from: Place;
  to: Place;
  /** Folder that does not exist yet. */
  backup: string;
}

async function withPlaces(t: Test, work: (places: Places) => Promise<void>): Promise<void> {
  const folder = await makeDataFolder(t);
  await withDatabase((first) =>
    withDatabase((second) =>
      withAvatarCommand(folder, (run) =>
        work({
          run,
          from: { databaseUrl: first.url, dataDir: join(folder, "from") },
          to: { databaseUrl: second.url, dataDir: join(folder, "to") },
          backup: join(folder, "backup"),
        }),
      ),
    ),
  );
}

/** An answer without the address of the service, which another start changes. */
function withoutOrigin({ baseUrl }: TestApi, body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(baseUrl, ""));
}

interface FilledService {
  secret: string;
  userId: string;
  agentCode: string;
  agents: unknown;
  summaries: unknown;
  model: unknown;
  /** Path of a signed link, made before the backup. */
  earlierLink: string;
  files: number;
}

/** An account with an agent and a job that waits, and a backup of them. */
async function fillService(
  t: Test,
  api: TestApi,
  run: RunAvatar,
  place: Place,
  backup: string,
): Promise<FilledService> {
  const { account, secret } = await api.addAccount({ credits: 321 });
  const { userId } = account;
  const agentCode = await addAgent(api.services, { userId });
  const payload = { lane: "x" };
  await installJobTables(api.services.pool, api.services.logger);
  await addJob(api.services.database, "deliver_webhooks", payload, { key: "later", delayMs: 3_600_000 });
  const link = await api.call("GET", `/v1/agent/${agentCode}/model/download?redirect=false`, { secret });
  const { pathname, search } = new URL(link.body.data.url);
  const outcome = await save(run, place, backup);
  t.equal(outcome.code, 0, outcome.stderr);
  const { files } = JSON.parse(outcome.stdout);
  return {
    secret,
    userId,
    agentCode,
    files,
    agents: withoutOrigin(api, (await api.call("GET", "/v1/agents", { secret })).body),
    summaries: (await api.call("GET", "/v2/credit-summaries", { secret })).body,
    model: (await api.call("GET", pathname + search)).body,
    earlierLink: pathname + search,
  };
}

function environmentOf({ databaseUrl, dataDir }: Place): Record<string, string> {
  return { DATABASE_URL: databaseUrl, AVATAR_DATA_DIR: dataDir };
}

function save(run: RunAvatar, place: Place, backup: string) {
  return run(["backup", backup, "--json"], environmentOf(place));
}

function restore(run: RunAvatar, place: Place, backup: string) {
  return run(["restore", backup, "--json"], environmentOf(place));
}

async function manifestOf(backup: string): Promise<BackupManifest> {
  return JSON.parse(await readFile(join(backup, "manifest.json"), "utf8"));
}

async function linesOf(backup: string, table: string): Promise<string[]> {
  const text = gunzipSync(await readFile(join(backup, "database", `${table}.copy.gz`))).toString();
  return text.split("\n").sort();
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode;
}

async function withClient<T>({ databaseUrl }: Place, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function jobsOf(place: Place): Promise<unknown[]> {
  return withClient(place, async (client) => {
    const { rows } = await client.query(
      `select t.identifier, j.key, j.payload from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id where j.key = 'later'`,
    );
    return rows;
  });
}

/** The kept balances are the sums of the movements. */
async function assertBalanced(t: Test, place: Place): Promise<void> {
  await withClient(place, async (client) => {
    const { rows } = await client.query<{ kept: string; moved: string }>(
      `select (select sum(plan_credits + topup_credits) from credit_balances) as kept,
         sum(pool_change('plan', from_account, to_account, amount_credits)
           + pool_change('topup', from_account, to_account, amount_credits)) as moved
       from credit_movements`,
    );
    t.ok(Number(rows[0].kept) > 0);
    t.equal(rows[0].kept, rows[0].moved);
  });
}
