// An export is for other files. A value that no other file of the program imports is not exported, with two exceptions:
// it is used inside its file and exported for its test, or it stands in KEPT. A type is not exported either, unless
// another export of its file names it: then it is part of that export's signature.
import { relative } from "node:path";
import t from "tap";
import { ROOT, readSourcePackages } from "../../lab/packages/source-package.ts";
import { TOP_FOLDERS } from "./floors.ts";
import { type ExportedName, readExports } from "./read-exports.ts";

/** What programs outside of the repository import. */
const ENTRY_POINTS: readonly string[] = await packageEntries();
/** Only tests import these. */
const KEPT: readonly string[] = [
  // The documentation has the same table.
  "shared/widget-option-notes.ts WIDGET_OPTION_NOTES",
  // The test runner bundles the programs before any test starts; it says how the bundles are made.
  "cli/start/build/bundle.ts moduleUrlsIn",
  // Says beside the program's version why a test is skipped.
  "lab/bench/fleet/s3-server.ts S3_MISSING",
  // The sender and the tab that use the packets follow.
  "shared/motion-packet.ts encodeMotionPacket",
  // The avatar that reads it follows.
  "shared/watch.ts parseWatchRequest",
];

const exported = await readExports([...Object.keys(TOP_FOLDERS), "test"]);
const isOfTests = (path: string) => path.startsWith("test/");

t.test("the scan finds exports and who imports them", async (t) => {
  const find = (path: string, name: string) => exported.find((one) => one.path === path && one.name === name);
  t.ok(exported.length > 2_000);
  t.match(find("test/structure/read-exports.ts", "readExports")?.importers, ["test/structure/dead-exports.test.ts"]);
  t.match(find("test/structure/read-exports.ts", "ExportedName"), { isType: true, isMentioned: true });
});

t.test("no export is dead", async (t) => {
  for (const one of exported) if (isDead(one)) t.fail(`${one.path}: no other file needs the export ${one.name}`);
  const names = new Set(exported.map(({ path, name }) => `${path} ${name}`));
  for (const kept of KEPT) t.ok(names.has(kept), `${kept} exists`);
});

function isDead({ path, name, isType, isUsedInside, isMentioned, importers }: ExportedName): boolean {
  if (ENTRY_POINTS.includes(path) || KEPT.includes(`${path} ${name}`)) return false;
  if (importers.some((importer) => isOfTests(path) || !isOfTests(importer))) return false;
  return importers.length > 0 ? !isUsedInside : !(isType && isMentioned);
}

async function packageEntries(): Promise<string[]> {
  const entries = (await readSourcePackages()).flatMap((source) => source.entries);
  return entries
    .flatMap(({ types, main, browser = main }) => [types, main, browser])
    .map((path) => relative(ROOT, path));
}
