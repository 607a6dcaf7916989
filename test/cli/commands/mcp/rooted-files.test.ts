// Files of an assistant: nothing outside the folder is read or written, wherever links lead.
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t, { type Test } from "tap";
import { RootedFiles } from "../../../../cli/commands/mcp/rooted-files.ts";

const LIMIT_BYTES = 100;

/** A folder with a file, beside one that is not to be seen. */
async function stage(t: Test): Promise<{ folder: string; root: string; files: RootedFiles }> {
  const folder = t.testdir({ root: { "a.txt": "inside", deep: {} }, secret: { "b.txt": "outside" } });
  const root = join(folder, "root");
  await symlink(join(folder, "secret"), join(root, "link"));
  await symlink(join(folder, "secret", "b.txt"), join(root, "file-link"));
  await symlink("a.txt", join(root, "good-link"));
  await symlink(join(folder, "secret", "new.txt"), join(root, "dangling"));
  return { folder, root, files: await RootedFiles.open(root) };
}

t.test("reads files below the folder, by relative and absolute paths and through links that stay", async (t) => {
  const { files, root } = await stage(t);
  for (const path of ["a.txt", "./deep/../a.txt", join(root, "a.txt"), "good-link"]) {
    const { data, name } = await files.read(path, LIMIT_BYTES);
    t.equal(Buffer.from(data).toString(), "inside", path);
    t.equal(name, "a.txt");
  }
});

t.test("refuses what is outside, also where a link leads there", async (t) => {
  const { files, folder } = await stage(t);
  const outside = ["../secret/b.txt", join(folder, "secret/b.txt"), "link/b.txt", "file-link", "..", "/etc/passwd"];
  for (const path of [...outside, "../secret/none.txt", "/no/such/file"]) {
    await t.rejects(files.read(path, LIMIT_BYTES), { code: "OUTSIDE_ROOT" }, path);
  }
  const targets = ["../secret/new.txt", join(folder, "secret/new.txt"), "link/new.txt", "deep/../../new.txt", "../x/y"];
  for (const path of targets) {
    const message = `${path} is outside the folder of this server.`;
    await t.rejects(files.write(path, "x"), { code: "OUTSIDE_ROOT", message }, path);
  }
  await t.rejects(files.write("dangling", "x"), { code: "FILE_EXISTS" }, "a link that leads to nothing yet");
  t.same(await readdir(join(folder, "secret")), ["b.txt"]);
});

t.test("a folder that was named by a link", async (t) => {
  const { folder, root } = await stage(t);
  await symlink(root, join(folder, "name"));
  const files = await RootedFiles.open(join(folder, "name"));
  t.equal(files.root, await RootedFiles.open(root).then((same) => same.root));
  t.ok(await files.read(join(folder, "name", "a.txt"), LIMIT_BYTES));
  t.equal(await files.write(join(folder, "name", "new.txt"), "x"), join(folder, "name", "new.txt"));
});

t.test("refuses what is missing, no file, or too large", async (t) => {
  const { files, root } = await stage(t);
  await writeFile(join(root, "large"), Buffer.alloc(LIMIT_BYTES + 1));
  await promisify(execFile)("mkfifo", [join(root, "pipe")]);
  await t.rejects(files.read("none", LIMIT_BYTES), { code: "NOT_FOUND" });
  await t.rejects(files.read("a.txt/b", LIMIT_BYTES), { code: "NOT_FOUND" });
  await t.rejects(files.read("deep", LIMIT_BYTES), { code: "VALIDATION_ERROR" });
  await t.rejects(files.read("pipe", LIMIT_BYTES), { code: "VALIDATION_ERROR" });
  await t.rejects(files.read("large", LIMIT_BYTES), { code: "FILE_TOO_LARGE" });
  await t.rejects(files.write("deep/none/a", "x"), { code: "NOT_FOUND" });
  await t.rejects(RootedFiles.open(join(root, "none")));
});

t.test("writes whole files, never over another one", async (t) => {
  const { files, root } = await stage(t);
  await mkdir(join(root, "made"));
  t.equal(await files.write("made/b.txt", "text"), "made/b.txt");
  t.equal(await readFile(join(root, "made/b.txt"), "utf8"), "text");
  await t.rejects(files.write("made/b.txt", "other"), { code: "FILE_EXISTS" });
  t.equal(await readFile(join(root, "made/b.txt"), "utf8"), "text");
  await files.write("key", new Uint8Array([1]), { isPrivate: true });
  t.equal((await stat(join(root, "key"))).mode & 0o777, 0o600);
  const raced = await Promise.allSettled(Array.from({ length: 5 }, (_, index) => files.write("one", String(index))));
  t.equal(raced.filter(({ status }) => status === "fulfilled").length, 1, "one of five at once");
  t.notOk(
    (await readdir(root)).some((name) => name.endsWith(".part")),
    "nothing half written is left",
  );
});
