import t from "tap";
import { runAgain } from "./run-again.ts";
import type { FileResult } from "./test-process.ts";

const FILES = Array.from({ length: 120 }, (_, index) => `test/file-${index}.test.ts`);

/** Results of `files`, of which the first `failing` have a failed test. */
function resultsOf(files: readonly string[], failing: number): FileResult[] {
  return files.map((file, index) => {
    const hasFailed = index < failing;
    return {
      file,
      durationS: 1,
      cpuS: 1,
      counts: { passed: hasFailed ? 2 : 3, failed: hasFailed ? 1 : 0, skipped: 0 },
    };
  });
}

t.test("a file that fails once in a long run counts with its second try, and both are said", async (t) => {
  const lines: string[] = [];
  const ran: string[] = [];
  const { results, secondTries } = await runAgain({
    results: resultsOf(FILES, 1),
    run: async (files) => {
      ran.push(...files);
      return resultsOf(files, 0);
    },
    say: (line) => lines.push(line),
  });
  t.strictSame(ran, [FILES[0]]);
  t.equal(secondTries, 1);
  t.equal(results.length, FILES.length);
  t.ok(results.every(({ counts }) => counts.failed === 0));
  t.match(lines.at(-1), /failed at the first try, 3 passed, 0 failed at the second/);
});

t.test("files are tried again one at a time", async (t) => {
  const runs: (readonly string[])[] = [];
  const run = async (files: readonly string[]) => {
    runs.push(files);
    return resultsOf(files, 0);
  };
  const { secondTries } = await runAgain({ results: resultsOf(FILES, 2), run, say: () => {} });
  t.strictSame(runs, [[FILES[0]], [FILES[1]]]);
  t.equal(secondTries, 2);
});

t.test("a file that fails twice has failed", async (t) => {
  const run = async (files: readonly string[]) => resultsOf(files, 1);
  const { results } = await runAgain({ results: resultsOf(FILES, 1), run, say: () => {} });
  t.strictSame(
    results.filter(({ counts }) => counts.failed > 0).map(({ file }) => file),
    [FILES[0]],
  );
});

t.test("there is no second try for many files, for short runs, and where all passed", async (t) => {
  const run = async () => t.fail("ran again");
  for (const [files, failing] of [
    [FILES, 5],
    [FILES.slice(0, 24), 1],
    [FILES, 0],
  ] as const) {
    const results = resultsOf(files, failing);
    const tried = await runAgain({ results, run: run as () => Promise<never>, say: () => {} });
    t.equal(tried.results, results);
    t.equal(tried.secondTries, 0);
  }
});
