// The search for markup in uploads: its results and its processor time.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { EventHandlerFinder } from "../../../api/files/event-handler-finder.ts";
import { findHiddenContent } from "../../../api/files/hidden-content.ts";

/** The same rule as an expression, which is too slow for hostile texts. */
const RULE = /<[a-z][^>]{0,200}\son[a-z]{3,20}\s*=/i;

/** A generator of the same numbers in every run (mulberry32), 0 to 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

t.test("event handlers are detected in texts of every form, for every chunk size", async (t) => {
  const random = seeded(7);
  const parts = [
    "<a",
    "<a",
    " onabc",
    " onabc",
    "=",
    "<",
    ">",
    " on",
    " ON",
    "on",
    "abc",
    "x",
    "=",
    " ",
    "\t",
    "\u00a0",
    "1",
    "é",
    "y".repeat(60),
  ];
  let found = 0;
  for (let round = 0; round < 20_000; round++) {
    const count = 1 + Math.floor(random() * 14);
    const text = Array.from({ length: count }, () => parts[Math.floor(random() * parts.length)]).join("");
    const finder = new EventHandlerFinder();
    const bytes = Buffer.from(text, "latin1");
    const cut = Math.floor(random() * bytes.length);
    const isFound = finder.push(bytes.subarray(0, cut)) || finder.push(bytes.subarray(cut));
    if (isFound !== RULE.test(text)) t.fail(`the rule says otherwise of ${JSON.stringify(text)}`);
    if (isFound) found++;
  }
  t.ok(found > 200, `${found} texts held a handler`);
});

t.test("a hostile text takes about as much processor time as ordinary text", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "avatar-test-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const BYTES = 3_000_000;
  async function costOf(pattern: string): Promise<number> {
    const path = join(folder, "a.txt");
    await writeFile(path, Buffer.alloc(BYTES, pattern));
    const before = process.cpuUsage();
    t.equal(await findHiddenContent(path, "txt"), null);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }
  await costOf("prose ");
  const prose = await costOf("Some prose with spaces and words, as people write it. ");
  for (const pattern of ["<a", "<a on", "<a onabc  onabc   ", " onabcdefgh", "<a               "]) {
    const ratio = (await costOf(pattern)) / prose;
    t.ok(ratio < 10, `${JSON.stringify(pattern)} costs ${ratio.toFixed(1)} times as much`);
  }
});
