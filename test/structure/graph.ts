// `npm run graph [-- FOLDER]`: prints which folder imports which, and how often. With FOLDER, only the imports from and
// into that folder. Folders that import each other are marked.
import { folderOf, TOP_FOLDERS } from "./floors.ts";
import { readSources } from "./read-sources.ts";

const [onlyFolder] = process.argv.slice(2);
const counts = new Map<string, Map<string, number>>();
for (const { path, imports } of await readSources(Object.keys(TOP_FOLDERS))) {
  const from = folderOf(path);
  for (const target of imports) {
    const to = folderOf(target);
    if (from === to || (onlyFolder !== undefined && from !== onlyFolder && to !== onlyFolder)) continue;
    const row = counts.get(from) ?? new Map<string, number>();
    row.set(to, (row.get(to) ?? 0) + 1);
    counts.set(from, row);
  }
}
let mutual = 0;
for (const [from, row] of [...counts].sort(([left], [right]) => left.localeCompare(right))) {
  const targets = [...row].sort(([left], [right]) => left.localeCompare(right));
  const shown = targets.map(([to, count]) => {
    const isMutual = counts.get(to)?.has(from) ?? false;
    if (isMutual) mutual += 1;
    return `${to} ${count}${isMutual ? " (mutual)" : ""}`;
  });
  process.stdout.write(`${from}\n${shown.map((line) => `    ${line}\n`).join("")}`);
}
process.stdout.write(`\n${counts.size} folders and entry files import others; ${mutual / 2} pairs import each other\n`);
