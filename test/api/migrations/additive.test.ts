// Migrations are applied while processes of the version before still run: they add, and take nothing away.
import { readdir, readFile } from "node:fs/promises";
import t from "tap";
import { MIGRATIONS } from "../../../api/migrations/migrations.ts";

const FOLDER = new URL("../../../api/migrations/", import.meta.url);
/** Earlier ones are history: no service upgrades from before them without a stop. */
const LAST_FREE = "0048";
/** What an older process would stumble over: names and columns that are gone, values that it does not write, and tables
 *  that are locked while they are rewritten. */
const FORBIDDEN = [
  /\bdrop\s+(table|column|constraint|view|function|trigger|type)\b/i,
  /\brename\s+(to|column)\b/i,
  /\balter\s+column\b/i,
  /\bset\s+not\s+null\b/i,
  /\badd\s+column\s+\w+\s+[^,;]*\bnot\s+null\b(?![^,;]*\bdefault\b)/i,
  /\btruncate\b/i,
  /\block\s+table\b/i,
  /\.(dropTable|dropColumn|renameTo|renameColumn|alterColumn|dropConstraint)\(/,
];

t.test("a migration neither removes nor changes what the version before uses", async (t) => {
  const files = (await readdir(FOLDER)).filter((name) => /^\d{4}-.*\.ts$/.test(name) && name.slice(0, 4) > LAST_FREE);
  for (const file of files) {
    const text = await readFile(new URL(file, FOLDER), "utf8");
    for (const pattern of FORBIDDEN) t.notMatch(text, pattern, file);
  }
  t.match("alter table a add column b integer not null", FORBIDDEN[4]);
  t.notMatch("alter table a add column b integer not null default 0", FORBIDDEN[4]);
});

t.test("migrations go forward only, and each has a name of its own, in order", async (t) => {
  const names = MIGRATIONS.map(({ name }) => name);
  t.same(names, [...new Set(names)].sort());
  for (const migration of MIGRATIONS) t.same(Object.keys(migration).sort(), ["name", "up"]);
});
