import { createHash } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import t from "tap";
import { parseByteRange } from "../../../../api/kernel/storage/byte-range.ts";
import { createDiskStorage } from "../../../../api/kernel/storage/disk-storage.ts";
import { createFileLinks } from "../../../../api/kernel/storage/file-links.ts";
import type { ListedObject, ObjectStorage } from "../../../../api/kernel/storage/object-storage.ts";

const content = Buffer.from("0123456789");
const sha256 = createHash("sha256").update(content).digest("hex");

t.test("an object can be read completely and in part until it is deleted", async (t) => {
  const storage = createDiskStorage(t.testdir());
  t.same(await storage.put("portraits/a.png", content), { key: "portraits/a.png", sizeBytes: 10, sha256 });
  t.same(await storage.readAll("portraits/a.png"), content);
  t.same(await buffer(await storage.read("portraits/a.png", { start: 2, end: 5 })), Buffer.from("234"));
  t.equal(await storage.sizeOf("portraits/a.png"), 10);
  await storage.delete("portraits/a.png");
  await storage.delete("portraits/a.png");
  t.equal(await storage.sizeOf("portraits/a.png"), null);
  await t.rejects(storage.read("portraits/a.png"), { code: "NOT_FOUND" });
});

t.test("a listing names every object, and neither drafts nor other files", async (t) => {
  const folder = t.testdir({ "notes.txt": "by hand", models: { "notes.txt": "by hand" } });
  const storage = createDiskStorage(folder);
  t.same(await listOf(createDiskStorage(join(folder, "missing"))), []);
  await storage.put("models/a.imx", content);
  await storage.put("portraits/b.png", content);
  const [shard] = readdirSync(join(folder, "models")).filter((name) => name !== "notes.txt");
  writeFileSync(join(folder, "models", shard, "a.imx.0123456789ab.part"), "incomplete");
  const listed = await listOf(storage);
  t.same(listed, [
    { key: "models/a.imx", sizeBytes: 10 },
    { key: "portraits/b.png", sizeBytes: 10 },
  ]);
});

t.test("a put replaces the whole object and leaves no other file, even if its source fails", async (t) => {
  const folder = join(t.testdir({ source: "0123456789" }), "objects");
  const path = join(folder, "../source");
  const storage = createDiskStorage(folder);
  await storage.put("models/a.imx", Buffer.alloc(100_000, 1));
  t.equal((await storage.putFile("models/a.imx", path)).sha256, sha256);
  t.same(await storage.readAll("models/a.imx"), content);
  await t.rejects(storage.putFile("models/a.imx", `${path}.missing`));
  t.same(await storage.readAll("models/a.imx"), content);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  t.same(
    files.map(({ name }) => name),
    ["a.imx"],
  );
});

t.test("keys cannot leave the folder", async (t) => {
  const storage = createDiskStorage(t.testdir());
  for (const key of ["", "a", "../a/b", "a/../b", "a/..", "/a/b", "a/b/c", "a/.b", "a/b\0", "a\\b/c", "A/b", "a/b c"]) {
    await t.rejects(storage.put(key, content), RangeError, key);
    await t.rejects(storage.read(key), { code: "NOT_FOUND" });
    t.equal(await storage.sizeOf(key), null);
    await storage.delete(key);
  }
});

t.test("a link opens only its own object, under its own name, until it expires", async (t) => {
  let now = 1_800_000_000_000;
  const options = { publicUrl: "https://avatars.example", signingKey: Buffer.alloc(32, 7), now: () => now };
  const links = createFileLinks(options);
  const url = new URL(links.linkTo("models/a.imx", { expiresInSeconds: 3600, filename: "A.imx" }));
  const query = Object.fromEntries(url.searchParams);
  t.equal(url.origin + url.pathname, "https://avatars.example/files/models/a.imx");
  t.equal(links.verify("models/a.imx", query), true);
  t.equal(links.verify("models/b.imx", query), false, "another object");
  t.equal(links.verify("models/a.imx", { ...query, name: "b.html" }), false, "another name");
  t.equal(links.verify("models/a.imx", { ...query, expires: "9999999999" }), false, "another time");
  t.equal(links.verify("models/a.imx", { ...query, expires: "never" }), false, "no time");
  t.equal(links.verify("models/a.imx", {}), false, "no signature");
  t.equal(createFileLinks({ ...options, signingKey: Buffer.alloc(32, 8) }).verify("models/a.imx", query), false);
  now += 3_600_000;
  t.equal(links.verify("models/a.imx", query), false, "an hour later");
  const lasting = new URL(links.linkTo("portraits/a.png", { expiresInSeconds: null }));
  t.equal(links.verify("portraits/a.png", Object.fromEntries(lasting.searchParams)), true);
});

t.test("single byte ranges are supported; any other range returns the whole object", async (t) => {
  const cases: [string | undefined, unknown][] = [
    [undefined, null],
    ["bytes=0-3", { start: 0, end: 4 }],
    ["bytes=7-", { start: 7, end: 10 }],
    ["bytes=-4", { start: 6, end: 10 }],
    ["bytes=-40", { start: 0, end: 10 }],
    ["bytes=2-99", { start: 2, end: 10 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    ["bytes=5-2", null],
    ["bytes=0-1,3-4", null],
    ["items=0-1", null],
    ["bytes=-", null],
  ];
  for (const [header, expected] of cases) t.same(parseByteRange(header, 10), expected, header ?? "no header");
});

async function listOf(storage: ObjectStorage): Promise<ListedObject[]> {
  const listed: ListedObject[] = [];
  for await (const object of storage.list()) listed.push(object);
  return listed.sort((a, b) => a.key.localeCompare(b.key));
}
