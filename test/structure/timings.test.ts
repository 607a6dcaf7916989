// Checks that the stored timings, by which the runner orders test files, name every file.
import t from "tap";
import { listTestFiles } from "../run/reach.ts";
import { readTimings } from "../run/timings.ts";

t.test("test/run/timings.json names every test file, and no other", async (t) => {
  const [files, timings] = await Promise.all([listTestFiles(), readTimings()]);
  t.same(
    files.filter((file) => !Object.hasOwn(timings, file)),
    [],
    "run `npm test -- <file> --timings` for each of these",
  );
  t.same(
    Object.keys(timings).filter((file) => !files.includes(file)),
    [],
    "these do not exist; `npm test -- <any file> --timings` removes them",
  );
});
