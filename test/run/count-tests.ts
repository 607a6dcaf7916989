// Counts tests in the TAP of a process of the test run: an outer block contains one block per file, which contains the
// tests. A test is the innermost block with its own assertions.
import { Parser, type Result } from "tap-parser";

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestListener {
  /** A test file ended. */
  onFile(counts: TestCounts, isOk: boolean): void;
  /** A test of a file began. */
  onTest(title: string): void;
  /** An assertion failed, or a block broke its plan; `path` leads from the file to it. */
  onFailure(path: string[], result: Result): void;
  /** A test was skipped, with its reason. */
  onSkip(path: string[], reason: string): void;
}

/** A parser to write TAP to. A file that dies outside its tests counts as one failed test. */
export function countTests(listener: TestListener): Parser {
  const parser = new Parser();
  parser.once("child", (files: Parser) => watchBlock(files, [], noTests(), listener));
  return parser;
}

/** Watches one block and adds its tests to `counts`. */
function watchBlock(parser: Parser, path: string[], counts: TestCounts, listener: TestListener): void {
  let inner: { parser: Parser; counts: TestCounts } | null = null;
  parser.on("child", (child: Parser) => {
    inner = { parser: child, counts: noTests() };
    if (path.length === 1) listener.onTest(child.name);
    watchBlock(child, [...path, child.name], inner.counts, listener);
  });
  // The line that closes a block follows it, and is an assertion of the outer one.
  parser.on("assert", (result: Result) => {
    const resultPath = [...path, result.name];
    const isFailure = !result.ok && !result.todo && !result.skip;
    const block = inner;
    inner = null;
    if (result.skip) {
      counts.skipped += 1;
      listener.onSkip(resultPath, typeof result.skip === "string" ? result.skip : "");
    } else if (!block) {
      if (isFailure) listener.onFailure(resultPath, result);
    } else {
      const { passed, failed, skipped } = block.counts;
      if (isFailure && failed === 0) block.counts.failed += 1;
      else if (passed + failed + skipped === 0) block.counts.passed += 1;
      // Otherwise the failure inside has already been reported.
      if (isFailure && block.parser.failures.length === 0) listener.onFailure(resultPath, result);
      if (path.length === 0) listener.onFile(block.counts, !isFailure);
      addTests(counts, block.counts);
    }
  });
}

export function noTests(): TestCounts {
  return { passed: 0, failed: 0, skipped: 0 };
}

export function addTests(sum: TestCounts, counts: TestCounts): void {
  sum.passed += counts.passed;
  sum.failed += counts.failed;
  sum.skipped += counts.skipped;
}

/** As `3 passed, 1 failed`, with skipped tests if there are any. */
export function describeCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
