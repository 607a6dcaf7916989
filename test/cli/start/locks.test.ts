// What keeps two starts apart: the lock file, and the record of a running service.
import { chmod, mkdir, open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { createDiskStorage } from "../../../api/kernel/storage/disk-storage.ts";
import { makeDataFolder } from "../../../cli/start/data-folder.ts";
import { readEnvFile, writeEnvFile } from "../../../cli/start/env-file.ts";
import { withFileLock } from "../../../cli/start/processes/file-lock.ts";
import { rotateLog } from "../../../cli/start/processes/log-rotation.ts";
import { identifyProcess, isRunning, isSameProcess } from "../../../cli/start/processes/process-identity.ts";
import { findRunningService, ServiceRecord } from "../../../cli/start/processes/service-record.ts";
import { ensureOperatorSecret } from "../../../cli/start/service/operator-secret.ts";
import { StartError } from "../../../cli/start/start-error.ts";
import { makeDataFolder as makeTestFolder } from "../../helpers/files/data-folder.ts";

/** No process has this number: Linux ends at 4,194,304. */
const NOBODY = { pid: 4_194_305, startedAt: "1" };

t.test("a lock has one holder at a time and is released after an error", async (t) => {
  const path = join(await makeTestFolder(t), "lock");
  const order: string[] = [];
  const hold = (name: string) => async () => {
    order.push(`${name} in`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name} out`);
    throw new Error(name);
  };
  const results = await Promise.allSettled(
    ["a", "b", "c"].map((name) => withFileLock(path, { timeoutMs: 5000 }, hold(name))),
  );
  t.ok(results.every((result) => result.status === "rejected"));
  for (const [index, entry] of order.entries()) {
    if (index % 2 === 1) t.equal(entry, order[index - 1].replace("in", "out"), "no other process came between");
  }
  t.equal(order.length, 6);
});

t.test("the lock of a dead process is taken over; that of a live one times out", async (t) => {
  const path = join(await makeTestFolder(t), "lock");
  await writeFile(path, JSON.stringify(NOBODY));
  t.equal(await withFileLock(path, { timeoutMs: 0 }, async () => "in"), "in");
  const holders: number[] = [];
  await withFileLock(path, { timeoutMs: 0 }, () =>
    t.rejects(
      withFileLock(path, { timeoutMs: 100, onWait: (pid) => holders.push(pid) }, async () => {}),
      { message: /held by process/ },
    ),
  );
  t.same(holders, [process.pid]);
});

t.test("other users cannot read the data folder and its files; an existing folder keeps its mode", async (t) => {
  const parent = await makeTestFolder(t);
  const modeOf = async (...names: string[]) => (await stat(join(parent, ...names))).mode & 0o777;
  await makeDataFolder(join(parent, "new"));
  t.equal(await modeOf("new"), process.getuid?.() === 0 ? 0o711 : 0o700, "PostgreSQL's user passes through root's");
  t.same([await modeOf("new", "logs"), await modeOf("new", "objects")], [0o700, 0o700]);
  await mkdir(join(parent, "old", "logs"), { recursive: true });
  await mkdir(join(parent, "old", "objects"));
  for (const name of ["old", "old/logs", "old/objects"]) await chmod(join(parent, name), 0o755);
  await makeDataFolder(join(parent, "old"));
  t.same([await modeOf("old"), await modeOf("old", "logs"), await modeOf("old", "objects")], [0o755, 0o700, 0o700]);
  const stored = join(parent, "new", "objects");
  await createDiskStorage(stored).put("uploads/one", Buffer.from("text"));
  const [, file] = (await readdir(stored, { recursive: true }))
    .sort((left, right) => left.length - right.length)
    .slice(-2);
  t.equal(await modeOf("new", "objects", file), 0o600);
});

t.test("a log is rotated while its writer holds it open", async (t) => {
  const logFile = join(await makeTestFolder(t), "api.log");
  const writer = await open(logFile, "a");
  t.teardown(() => writer.close());
  await writer.write("first line\n");
  t.equal(await rotateLog(logFile, 100), false, "it is small");
  t.equal(await rotateLog(logFile, 5), true);
  await writer.write("second line\n");
  t.equal(await readFile(`${logFile}.old`, "utf8"), "first line\n");
  t.equal(await readFile(logFile, "utf8"), "second line\n");
  t.equal(await rotateLog(`${logFile}.none`), false);
});

t.test("an identity without a start time matches no process", async (t) => {
  t.equal(await isSameProcess(await identifyProcess(process.pid)), true);
  t.equal(await isSameProcess({ pid: process.pid, startedAt: "" }), false, "its number may belong to another one now");
  t.equal(await isRunning(process.pid), true);
  t.equal(await isRunning(NOBODY.pid), false);
});

t.test("a data folder is used by one start at a time; the record of a dead process is ignored", async (t) => {
  const dataDir = await makeTestFolder(t);
  t.equal(await findRunningService(dataDir), null);
  await writeFile(join(dataDir, "service.json"), JSON.stringify({ owner: NOBODY, publicUrl: "x", children: [NOBODY] }));
  const record = await ServiceRecord.open(dataDir, "http://127.0.0.1:1");
  t.equal(await findRunningService(dataDir), "http://127.0.0.1:1");
  await t.rejects(ServiceRecord.open(dataDir, "http://127.0.0.1:2"), StartError);
  await record.close();
  await record.close();
  t.equal(await findRunningService(dataDir), null);
});

t.test("the operator's secret is created once and kept, and a configured one takes precedence", async (t) => {
  const dataDir = await makeTestFolder(t);
  const made = await ensureOperatorSecret(dataDir, undefined);
  t.match(made, { isNew: true, secret: /^[\w-]{65}$/ });
  t.match(await ensureOperatorSecret(dataDir, undefined), { isNew: false, secret: made.secret });
  t.same(await ensureOperatorSecret(dataDir, "g".repeat(32)), { isNew: false, secret: "g".repeat(32), file: null });
  await writeFile(join(dataDir, "operator.env"), "AVATAR_OPERATOR_SECRET=short\n");
  await t.rejects(ensureOperatorSecret(dataDir, undefined), { message: /operator\.env has 5 characters/ });
});

t.test(
  "an env file returns the values that were written, and values that a shell would read differently are refused",
  async (t) => {
    const path = join(await makeTestFolder(t), "some.env");
    await writeEnvFile(path, "Why it is there.", { ONE: "1", URL: "postgres://a:b@127.0.0.1:1/c?d=e" });
    t.same(await readEnvFile(path), { ONE: "1", URL: "postgres://a:b@127.0.0.1:1/c?d=e" });
    t.same(await readEnvFile(`${path}.none`), {});
    await t.rejects(writeEnvFile(path, "", { ONE: "a b" }), RangeError);
  },
);
