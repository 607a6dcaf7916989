// Look-ups of callers' names, against real name servers that stay silent or fail late.
import { lookup } from "node:dns/promises";
import t from "tap";
import { createHostResolver } from "../../../program/outgoing/resolve-host.ts";
import { type NameAnswer, withNameServer } from "../../helpers/servers/with-name-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const PUBLIC = "93.184.216.34";
/** Far below the time that a look-up of a stalled name takes. */
const SOON_MS = 1_000;

const timed = async <T>(work: Promise<T>): Promise<{ ms: number; result: T }> => {
  const startMs = performance.now();
  return { result: await work, ms: performance.now() - startMs };
};

for (const [title, stalled] of [
  ["stays silent", "silence"],
  ["fails after 4 s", { rcode: 2, afterMs: 4_000 }],
] as [string, NameAnswer][]) {
  t.test(`fifty names of a name server that ${title} delay no other look-up and end in time`, async (t) => {
    const answerTo = (name: string) => (name === "quick.example" ? { addresses: [PUBLIC] } : stalled);
    await withNameServer(answerTo, async ({ address, asked }) => {
      const resolve = createHostResolver({ servers: [address] });
      const slow = Array.from({ length: 50 }, (_, index) => timed(resolve(`n${index}.slow.example`).catch(() => [])));
      await new Promise((done) => setTimeout(done, 100));
      t.equal(new Set(asked).size, 50, "all of them run at once");

      const other = await timed(resolve("quick.example"));
      t.same(other.result, [{ address: PUBLIC, family: 4 }]);
      t.ok(other.ms < SOON_MS, `another name took ${other.ms} ms`);
      const system = await timed(lookup("localhost"));
      t.ok(system.ms < SOON_MS, `the system's look-up took ${system.ms} ms`);
      for (const { ms, result } of await Promise.all(slow)) {
        t.same(result, []);
        t.ok(ms < 2_900, `a stalled name was given up after ${ms} ms`);
      }
    });
  });
}

t.test("names that a caller can own go to DNS, the machine's own names to the system", async (t) => {
  await withNameServer(
    () => ({ rcode: 3, afterMs: 0 }),
    async ({ address, asked }) => {
      const resolve = createHostResolver({ servers: [address] });
      t.match(await resolve("localhost"), [{ address: /^(127\.0\.0\.1|::1)$/ }]);
      for (const name of ["nowhere", "printer.local", "db.internal", "a.localhost", "x.test."]) {
        await resolve(name).catch(() => undefined);
      }
      t.same(asked, []);
      await t.rejects(resolve("nowhere.example"), { code: "ENOTFOUND" });
      t.ok(asked.includes("nowhere.example"));
    },
  );
});

t.test("where callers are trusted, a name that DNS does not know is looked up by the system, too", async (t) => {
  await withNameServer(
    () => ({ rcode: 3, afterMs: 0 }),
    async ({ address }) => {
      const systemNames: string[] = [];
      const lookUpSystem = async (name: string) => {
        systemNames.push(name);
        return [{ address: "10.0.0.7", family: 4 }];
      };
      const resolve = createHostResolver({ servers: [address], lookUpSystem, asksSystemToo: true });
      t.same(await resolve("in-the-hosts-file.example"), [{ address: "10.0.0.7", family: 4 }]);
      t.same(systemNames, ["in-the-hosts-file.example"]);
      const strict = createHostResolver({ servers: [address], lookUpSystem });
      await t.rejects(strict("in-the-hosts-file.example"), { code: "ENOTFOUND" });
    },
  );
});

t.test("of the look-ups that the system repeats, two run at a time", async (t) => {
  await withNameServer(
    () => ({ rcode: 3, afterMs: 0 }),
    async ({ address }) => {
      const stuck: (() => void)[] = [];
      const lookUpSystem = () => new Promise<never>((_, reject) => stuck.push(() => reject(new Error("ENOTFOUND"))));
      const resolve = createHostResolver({ servers: [address], lookUpSystem, asksSystemToo: true });
      const many = Array.from({ length: 10 }, (_, index) => resolve(`n${index}.example`).catch(() => []));
      // Each end lets the next one begin.
      for (let ended = 0; ended < 10; ended++) {
        await waitFor(() => stuck.length >= Math.min(ended + 2, 10), "two look-ups of the system");
        t.equal(stuck.length, Math.min(ended + 2, 10));
        stuck[ended]();
        await new Promise((done) => setImmediate(done));
      }
      await Promise.all(many);
    },
  );
});
