// The embedded PostgreSQL on real folders: adopted, outliving its starter, moved, and clear about what it cannot do.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import t from "tap";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../../cli/start/postgres/embedded-postgres.ts";
import { makeReachableFolder } from "../../../../cli/start/postgres/postgres-owner.ts";
import { StartError } from "../../../../cli/start/start-error.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";

const SETTINGS = { fsync: "off" };
const SOURCE = fileURLToPath(new URL("../../../../cli/start/postgres/embedded-postgres.ts", import.meta.url));

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function startError(work: Promise<EmbeddedPostgres>): Promise<StartError> {
  try {
    const server = await work;
    await server.stop();
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  throw new Error("it started");
}

t.test(
  "a running server is reused by the next start, and a stopped one restarts with its data and its port",
  async (t) => {
    const dataDir = await makeDataFolder(t);
    const first = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    t.teardown(() => first.stop());
    t.equal(first.isAdopted, false);
    await query(first.url, "create table kept (word text); insert into kept values ('yes')");

    const second = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    t.match(second, { isAdopted: true, url: first.url });
    await second.stop();
    await second.stop();
    await t.rejects(query(first.url, "select 1"), "it is stopped");

    const third = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    t.match(third, { isAdopted: false, url: first.url });
    t.same(await query(third.url, "select word from kept"), [{ word: "yes" }]);
  },
);

t.test(
  "the URL is in a file that only this user can read; the server listens on loopback and requires a password",
  async (t) => {
    const dataDir = await makeDataFolder(t);
    const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    t.teardown(() => server.stop());
    const file = join(dataDir, "postgres.env");
    t.match(await readFile(file, "utf8"), `DATABASE_URL=${server.url}`);
    t.equal((await stat(file)).mode & 0o777, 0o600);
    const [{ listen_addresses: addresses }] = await query(server.adminUrl, "show listen_addresses");
    t.equal(addresses, "127.0.0.1");
    const withoutPassword = new URL(server.url);
    withoutPassword.password = "guess";
    await t.rejects(query(withoutPassword.href, "select 1"), { code: "28P01" });
  },
);

t.test(
  "the service's role owns its database and has no rights on the server, also in a folder of an earlier version",
  async (t) => {
    const dataDir = await makeDataFolder(t);
    const fresh = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    t.teardown(() => fresh.stop());
    const rights = "select rolname, rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = current_user";
    const none = { rolname: "avatar", rolsuper: false, rolcreatedb: false, rolcreaterole: false };
    t.same(await query(fresh.url, rights), [none]);
    await t.rejects(query(fresh.url, "copy (select 1) to program 'true'"), { code: "42501" });
    await t.rejects(query(fresh.url, "select pg_read_file('PG_VERSION')"), { code: "42501" });
    await query(fresh.url, "create schema of_service create table kept_here (id int)");

    // As an earlier version left it: one password, and everything belongs to the superuser.
    await query(fresh.adminUrl, "create type mood as enum ('calm')");
    await query(
      fresh.adminUrl,
      "create table kept (id serial primary key, mood mood); insert into kept (mood) values ('calm')",
    );
    await query(fresh.adminUrl, "create view seen as select id from kept");
    await query(fresh.adminUrl, "create function one() returns int language sql as 'select 1'");
    await query(fresh.adminUrl, "create schema older create table older.rows (id int)");
    await query(fresh.adminUrl, "alter database avatar owner to postgres");
    await writeFile(join(dataDir, "postgres.env"), `DATABASE_URL=${fresh.adminUrl}\n`);

    const updated = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    t.same(await query(updated.url, rights), [none]);
    const changes = [
      "alter table kept add column note text",
      "insert into kept (mood) values ('calm')",
      "alter type mood add value 'lively'",
      "drop view seen",
      "drop function one()",
      "drop schema older cascade",
      "create schema newer",
    ];
    for (const change of changes) await query(updated.url, change);
    t.same(await query(updated.url, "select count(*)::int as count from kept"), [{ count: 2 }]);
    const again = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    t.equal(again.url, updated.url, "the role keeps its password");
  },
);

t.test(
  "the server survives kill -9 of its starter, and gets another port if its port was taken in between",
  async (t) => {
    const dataDir = await makeDataFolder(t);
    const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(SOURCE)};
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, settings: { fsync: "off" } });
    console.log("started");
    setInterval(() => {}, 1000);
  `;
    await writeFile(join(dataDir, "starter.mts"), script);
    const starter = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), join(dataDir, "starter.mts")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(starter.stdout, "data");
    starter.kill("SIGKILL");
    await once(starter, "close");

    const adopted = await startEmbeddedPostgres({ dataDir });
    t.teardown(() => adopted.stop());
    t.equal(adopted.isAdopted, true);
    await adopted.stop();

    const squatter = createServer().listen(adopted.port, "127.0.0.1");
    await once(squatter, "listening");
    t.teardown(() => squatter.close());
    const notes: string[] = [];
    const moved = await startEmbeddedPostgres({ dataDir, settings: SETTINGS, report: (line) => notes.push(line) });
    t.teardown(() => moved.stop());
    t.not(moved.port, adopted.port);
    t.match(notes, [new RegExp(`listens on ${adopted.port}`)]);
    t.same(await query(moved.url, "select 1 as one"), [{ one: 1 }]);
  },
);

t.test("an error names the data that cannot be opened and what to do", async (t) => {
  const dataDir = await makeDataFolder(t);
  const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  await server.stop();
  const clusterDir = join(dataDir, "postgres");

  const versionFile = join(clusterDir, "PG_VERSION");
  const version = await readFile(versionFile, "utf8");
  await writeFile(versionFile, "12\n");
  const mismatch = await startError(startEmbeddedPostgres({ dataDir }));
  t.match(mismatch, { message: /made by PostgreSQL 12/, remedy: /pg_dump/ });
  await writeFile(versionFile, version);

  const envFile = join(dataDir, "postgres.env");
  const environment = await readFile(envFile, "utf8");
  await rm(envFile);
  t.match(await startError(startEmbeddedPostgres({ dataDir })), { message: /password/, remedy: /backup/ });
  await writeFile(envFile, environment);

  await writeFile(envFile, "DATABASE_URL=nonsense\n");
  t.match(await startError(startEmbeddedPostgres({ dataDir })), { message: /password/, remedy: /backup/ });
  const wrong = environment.replace(/(\/\/postgres:)[^@]+/, "$1wrong");
  await writeFile(envFile, wrong);
  const refused = await startError(startEmbeddedPostgres({ dataDir }));
  t.match(refused, { message: /refuses the password in .*postgres\.env/, remedy: /backup/ });
  t.notOk(refused.message.includes("wrong"));
  await t.rejects(stat(join(clusterDir, "postmaster.pid")), { code: "ENOENT" }, "what was started is stopped again");
  await writeFile(envFile, environment);

  await rename(versionFile, join(dataDir, "away"));
  const noCluster = await startError(startEmbeddedPostgres({ dataDir }));
  t.match(noCluster, { message: /PG_VERSION/, remedy: /backup/ }, "data that cannot be opened is never deleted");
  await rename(join(dataDir, "away"), versionFile);

  await chmod(clusterDir, 0o777);
  const opened = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  await opened.stop();
  t.equal((await stat(clusterDir)).mode & 0o777, 0o700, "a folder that was opened to all is closed again");

  await rm(join(clusterDir, "global", "pg_control"));
  const broken = await startError(startEmbeddedPostgres({ dataDir }));
  t.match(broken, { message: /did not start: .*pg_control|did not start: .*database system/, remedy: /backup/ });
});

t.test("a start works after a first start that was killed half way", async (t) => {
  const dataDir = await makeDataFolder(t);
  // As after a kill while initdb runs: a part of a cluster beside its place, which is empty.
  await mkdir(join(dataDir, "postgres"));
  await mkdir(join(dataDir, "postgres.new", "base"), { recursive: true });
  const first = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  await first.stop();
  t.same((await readdir(dataDir)).filter((name) => name.startsWith("postgres")).sort(), ["postgres", "postgres.env"]);
});

t.test("a data folder that cannot be created is refused with a remedy", async (t) => {
  const dataDir = await makeDataFolder(t);
  await writeFile(join(dataDir, "file"), "");
  t.match(await startError(startEmbeddedPostgres({ dataDir: join(dataDir, "file", "data") })), {
    message: /cannot be written \(ENOTDIR\)/,
    remedy: /AVATAR_DATA_DIR/,
  });
});

const isRoot = process.getuid?.() === 0;
t.test(
  "a folder that another user prepared never receives the database",
  { skip: isRoot ? false : "only root places the database outside the data folder" },
  async (t) => {
    const parent = await makeDataFolder(t);
    const [prepared, writable, linked] = ["prepared", "writable", "linked"].map((name) => join(parent, name));
    await mkdir(prepared);
    await chown(prepared, 65_534, 65_534);
    await mkdir(writable);
    await chmod(writable, 0o777);
    await symlink(prepared, linked);
    const own = join(parent, "own");
    const owner = { uid: 65_534, gid: 65_534, name: "nobody" };
    t.equal(await makeReachableFolder(owner, "data", [prepared, writable, linked, own]), join(own, "data"));
    await t.rejects(makeReachableFolder(owner, "data", [prepared, writable, linked]), StartError);
  },
);

t.test(
  "root keeps the database outside a private folder, where an unprivileged user reaches it, and says so",
  { skip: isRoot ? false : "only root starts PostgreSQL as another user" },
  async (t) => {
    const parent = await makeDataFolder(t);
    const dataDir = join(parent, "private", "data");
    await mkdir(join(parent, "private"), { mode: 0o700 });
    const notes: string[] = [];
    const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS, report: (line) => notes.push(line) });
    const { folder } = JSON.parse(await readFile(join(dataDir, "postgres-location.json"), "utf8")) as {
      folder: string;
    };
    t.teardown(async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
    t.notOk(folder.startsWith(parent));
    t.match(notes, [folder]);
    t.not((await stat(join(folder, "postgres"))).uid, 0, "the data is not root's");
    const again = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
    t.equal(again.isAdopted, true, "the next start finds it there");
    await again.stop();
  },
);
