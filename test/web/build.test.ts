// The pages as they are built.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { buildWeb } from "../../web/build.ts";

t.test("pages are built once, atomically, and work with a strict Content-Security-Policy", async (t) => {
  const outDir = await mkdtemp(join(tmpdir(), "web-build-"));
  t.teardown(() => rm(outDir, { recursive: true, force: true }));
  t.same(await buildWeb({ outDir }), { built: true });
  const before = await stat(join(outDir, "embed", "index.html"));
  t.same(await buildWeb({ outDir }), { built: false });
  t.equal((await stat(join(outDir, "embed", "index.html"))).mtimeMs, before.mtimeMs, "nothing is written again");
  t.same(
    (await readdir(outDir)).sort(),
    ["account", "build-stamp.txt", "docs", "embed", "home", "local", "mark", "realtime"],
    "no half build is left behind",
  );

  for (const page of ["account", "docs", "embed", "home", "local", "mark", "realtime"]) {
    const html = await readFile(join(outDir, page, "index.html"), "utf8");
    t.notMatch(html, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/i, `${page}: nothing inline`);
    const references = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
    const files = references.filter((reference) => /\.(js|css|svg)$/.test(reference));
    t.ok(files.length >= 2, `${page}: has its files`);
    for (const reference of references) t.match(reference, /^\.\//, `${page}: ${reference} is relative and ours`);
    for (const file of files)
      t.ok((await stat(join(outDir, ["account", "embed", "mark"].includes(page) ? page : "", file))).size > 0, file);
  }

  await writeFile(join(outDir, "build-stamp.txt"), "of other sources");
  t.same(await buildWeb({ outDir }), { built: true }, "a stale build is made again");
});
