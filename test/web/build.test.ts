// The pages as they are built.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import t from "tap";
import { ROOT_PLACEHOLDER } from "../../shared/page-root.ts";
import { buildWeb } from "../../web/build.ts";

t.test("pages are built once, atomically, and work with a strict Content-Security-Policy", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "web-build-"));
  const outDir = join(folder, "dist");
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  t.same(await buildWeb({ outDir }), { built: true });
  const before = await stat(join(outDir, "embed", "index.html"));
  t.same(await buildWeb({ outDir }), { built: false });
  t.equal((await stat(join(outDir, "embed", "index.html"))).mtimeMs, before.mtimeMs, "nothing is written again");
  const pages = [
    "account",
    "console",
    "docs",
    "embed",
    "home",
    "local",
    "mark",
    "not-found",
    "preview",
    "realtime",
    "run",
  ];
  t.same(
    (await readdir(outDir)).sort(),
    [...pages, "assets", "build-stamp.txt", "widget.js.br", "widget.js.gz"].sort(),
  );
  t.same(await readdir(join(outDir, "..")), ["dist"], "no half build is left behind");

  for (const page of pages) {
    const html = await readFile(join(outDir, page, "index.html"), "utf8");
    t.notMatch(html, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:/i, `${page}: nothing inline`);
    const references = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
    const files = references.filter((reference) => /\.(js|css|svg)$/.test(reference));
    t.ok(files.length >= 2, `${page}: has its files`);
    for (const file of files) {
      t.ok(file.startsWith(`${ROOT_PLACEHOLDER}assets/`), `${page}: ${file} lies with the files of all pages`);
      t.ok((await stat(`${join(outDir, file.replace(ROOT_PLACEHOLDER, ""))}.br`)).size > 0, file);
    }
    t.match(html, `<a class="site-name" href="${ROOT_PLACEHOLDER}">`, `${page}: has a way home`);
    for (const reference of references)
      t.ok(/^(\.{1,2}\/|#)/.test(reference) || reference.startsWith(ROOT_PLACEHOLDER), `${page}: ${reference} is ours`);
  }

  t.notMatch(
    await readFile(join(outDir, "run", "index.html"), "utf8"),
    /<nav/,
    "the command line's page leads nowhere",
  );

  const script = (await readdir(join(outDir, "assets"))).find((name) => /^embed-.*\.js\.br$/.test(name)) ?? "";
  const packed = await readFile(join(outDir, "assets", script));
  const zipped = await readFile(join(outDir, "assets", script.replace(/\.br$/, ".gz")));
  const plain = gunzipSync(zipped);
  t.ok(brotliDecompressSync(packed).equals(plain), "each file is compressed twice");
  t.ok(packed.length < zipped.length && zipped.length < plain.length / 2);

  const view = await firstViewOf(outDir, "console", [
    /^create-view-.*\.(js|css)$/,
    /^(mount-create|stage)-.*\.css$/,
    /^en-.*\.js$/,
  ]);
  t.comment(`the console's first view: ${view.bytes} bytes in ${view.files} files`);
  t.ok(
    view.bytes <= 190_000,
    `the console's first view has ${view.bytes} bytes, of 200,000 with the service's answers`,
  );
  t.ok(view.files <= 30, `in ${view.files} files`);
  t.notOk(view.code.includes("jitless"), "no library that only later views need");
  const { bytes: ofStartPage } = await firstViewOf(outDir, "home", [/^en-.*\.js$/]);
  t.ok(ofStartPage <= 110_000, `the start page has ${ofStartPage} bytes before its face moves`);

  const widget = await stat(join(outDir, "widget.js.br"));
  t.ok(widget.size <= 12_000, `the script for other sites has ${widget.size} bytes`);

  await writeFile(join(outDir, "build-stamp.txt"), "of other sources");
  await writeFile(join(outDir, "widget.js.br"), "of other sources");
  t.same(await buildWeb({ outDir }), { built: true }, "a stale build is made again");
  t.equal((await stat(join(outDir, "widget.js.br"))).size, widget.size, "also a file that keeps its name");
});

/** What a page's HTML loads, and files that it loads later, with all that their scripts import, and the fonts that
 *  every page shows. Bytes as they are sent. */
async function firstViewOf(outDir: string, page: string, later: readonly RegExp[]) {
  const assets = join(outDir, "assets");
  const names = await readdir(assets);
  const plainNames = names.map((name) => name.replace(/\.br$/, ""));
  const html = await readFile(join(outDir, page, "index.html"), "utf8");
  const waiting = [...html.matchAll(/assets\/([\w.-]+)"/g)].map((match) => match[1] as string);
  waiting.push(
    ...plainNames.filter((name) => /^(inter-west|source-serif)/.test(name) || later.some((one) => one.test(name))),
  );
  const files = new Set<string>();
  let bytes = 0;
  let code = "";
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (files.has(name)) continue;
    files.add(name);
    const packed = await readFile(join(assets, names.includes(`${name}.br`) ? `${name}.br` : name));
    bytes += packed.length;
    if (!name.endsWith(".js")) continue;
    const script = brotliDecompressSync(packed).toString();
    code += script;
    waiting.push(
      ...[...script.matchAll(/(?:from|import)\s*["`']\.\/([\w.-]+)["`']/g)].map((match) => match[1] as string),
    );
  }
  return { bytes, code, files: files.size };
}
