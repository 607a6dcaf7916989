// Checks how comments and messages read: lines have at most 120 characters and none of the phrases that confused
// readers.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAX_LINE = 120;

/** Folders and files that are checked. Python files are checked for the phrases only. */
const PLACES = [
  "agent-worker",
  "api",
  "cli",
  "docs",
  "lab",
  "mcp",
  "models",
  "program",
  "relay",
  "room",
  "sdk",
  "shared",
  "src",
  "test",
  "web",
  "README.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
];

/** What to write instead is in `CONTRIBUTING.md`, under "Language". */
const BANNED: readonly RegExp[] = [
  /\bso many (ms|seconds|bytes|frames|samples|pixels)\b/i,
  /\bby and by\b/i,
  /\bas ever\b/i,
  /\bwhoever\b/i,
  /\bwhose\b/i,
  /(?<!\bno[ /-])\bsuch\b(?! as\b)/i,
  /(?<!\b[Tt]here )\b(is|are|was|were) none\b/,
  /\bpatience\b/i,
  /\bsomebody\b/i,
  /\bnobody('s)?\b/i,
  /\ba word about it\b/i,
  /\basked for\b/i,
  /\bgone twice\b/i,
  /\bhas to go\b/i,
  /\bpictures? a second\b/i,
  /\bcomes? (late|early) by\b/i,
  /\bin so much\b/i,
];

/** Names of users and of test data, which are not prose. */
const NAMES = /["`]nobody["`]|named postgres or nobody|NOBODY|nobody@|[=-]nobody|Nobody knew/;
/** This file, which lists the phrases. */
const SELF = join("test", "structure", "prose.test.ts");

t.test("comments fit into 120 characters, and no line has a phrase that needs a second reading", async (t) => {
  let count = 0;
  for (const path of await proseFiles()) {
    const text = await readFile(join(ROOT, path), "utf8");
    for (const [index, line] of text.split("\n").entries()) {
      const place = `${path}:${index + 1}`;
      count += 1;
      // Generated lines are as wide as their tool makes them.
      const isComment = /(?<!\.gen)\.ts$/.test(path) && /^\s*(\/\/|\/?\*)|\s\/\/ /.test(line);
      if (isComment && line.length > MAX_LINE) t.fail(`${place} has ${line.length} characters`);
      const phrase = NAMES.test(line) ? undefined : BANNED.map((banned) => banned.exec(line)?.[0]).find(Boolean);
      if (phrase) t.fail(`${place}: "${phrase}"`);
    }
  }
  t.ok(count > 10_000, "the walk reads the files");
});

async function proseFiles(): Promise<string[]> {
  const files: string[] = [];
  for (const place of PLACES) {
    if (place.endsWith(".md")) {
      files.push(place);
      continue;
    }
    for (const entry of await readdir(join(ROOT, place), { recursive: true })) {
      const path = join(place, entry).replaceAll("\\", "/");
      if (/\.(ts|md|py)$/.test(path) && path !== SELF && !/\/(dist|node_modules)\//.test(path)) files.push(path);
    }
  }
  return files.sort();
}
