// Counts tests in a TAP stream: a test is the innermost block that has assertions of its own.
import { Parser, type Result } from "tap-parser";

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface TestListener {
  /** A test file ended. */
  onFile(name: string, counts: TestCounts, isOk: boolean): void;
  /** An assertion failed, or a block broke its plan; `path` leads from the file to it. */
  onFailure(path: string[], result: Result): void;
  /** A test was skipped, with its reason. */
  onSkip(path: string[], reason: string): void;
}

/** A parser to write TAP to; `result` resolves at its end. A file that dies outside its tests counts as one failed test. */
export function countTests(listener: TestListener): { parser: Parser; result: Promise<TestCounts> } {
  const parser = new Parser();
  const total = noTests();
  const result = new Promise<TestCounts>((resolve) => parser.once("complete", () => resolve(total)));
  watchBlock(parser, [], total, listener);
  return { parser, result };
}

/** Watches one block and adds its tests to `counts`. */
function watchBlock(parser: Parser, path: string[], counts: TestCounts, listener: TestListener): void {
  let inner: { parser: Parser; counts: TestCounts } | null = null;
  parser.on("child", (child: Parser) => {
    inner = { parser: child, counts: noTests() };
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
      // Otherwise what failed inside has been told.
      if (isFailure && block.parser.failures.length === 0) listener.onFailure(resultPath, result);
      if (path.length === 0) listener.onFile(result.name, block.counts, !isFailure);
      add(counts, block.counts);
    }
    // A file that could not even be started has no block.
    if (!block && isFailure && path.length === 0) counts.failed += 1;
  });
}

function noTests(): TestCounts {
  return { passed: 0, failed: 0, skipped: 0 };
}

function add(sum: TestCounts, counts: TestCounts): void {
  sum.passed += counts.passed;
  sum.failed += counts.failed;
  sum.skipped += counts.skipped;
}
