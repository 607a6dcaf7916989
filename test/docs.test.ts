// Documents are part of the product: their links lead somewhere and their commands exist.
import { access, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { runCommand } from "../cli/start/processes/run-command.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { output } = await runCommand("git", ["ls-files", "*.md"], { cwd: ROOT });
const documents = output.split("\n").filter(Boolean);

t.test("every relative link of a document leads to a file", async (t) => {
  t.ok(documents.includes("README.md"));
  for (const document of documents) {
    const text = await readFile(join(ROOT, document), "utf8");
    for (const [, target] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      await t.resolves(access(join(ROOT, dirname(document), target)), `${document} → ${target}`);
    }
  }
});

t.test("no line of the changelog stands there twice", async (t) => {
  const lines = (await readFile(join(ROOT, "CHANGELOG.md"), "utf8"))
    .split("\n")
    .filter((line) => line.startsWith("- "));
  t.ok(lines.length > 100);
  for (const line of lines) t.equal(lines.indexOf(line), lines.lastIndexOf(line), line);
});

t.test("every npm script that a document names exists", async (t) => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { scripts: object };
  for (const document of documents) {
    const text = await readFile(join(ROOT, document), "utf8");
    for (const [, name] of text.matchAll(/npm run (?:-s )?([a-z:-]+)/g)) t.ok(name in scripts, `${document}: ${name}`);
  }
});

t.test("every test that the page of bounds names exists", async (t) => {
  const text = await readFile(join(ROOT, "docs/operating/bounds.md"), "utf8");
  const { output: listed } = await runCommand("git", ["ls-files", "test"], { cwd: ROOT });
  const tests = listed.split("\n");
  const cells = text.split("\n").flatMap((line) => (line.startsWith("| ") ? (line.split("|").at(-2) ?? "") : ""));
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path));
  t.ok(named.length > 50);
  for (const path of named) {
    if (path.startsWith("…") || path.startsWith("test/")) continue;
    const isThere = tests.some((test) => test === `test/${path}.test.ts` || test.startsWith(`test/${path}/`));
    t.ok(isThere, path);
  }
});

t.test("every decision has a number of its own, a date and a status, and no number is lost", async (t) => {
  const decisions = documents.filter((path) => /^docs\/decisions\/\d{4}-/.test(path));
  const numbers = decisions.map((path) => Number(path.slice(15, 19)));
  t.same([...new Set(numbers)], numbers);
  for (const path of decisions) {
    const [title, , status] = (await readFile(join(ROOT, path), "utf8")).split("\n");
    t.ok(title.startsWith(`# ${path.slice(15, 19)} `), path);
    t.match(status, /^Date: 2\d{3}-\d\d-\d\d(, [^.]+)?\. Status: /, path);
  }
  const moved = await readFile(join(ROOT, "docs/decisions/README.md"), "utf8");
  const kept = [...moved.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell]) => cell.split(", ").map(Number));
  const all = [...numbers, ...kept].sort((a, b) => a - b);
  t.same(
    all,
    all.map((_, index) => index + 1),
  );
});
