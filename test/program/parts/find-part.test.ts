// Where the large files of an installation are.
import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { PART_NAMES, PARTS, PARTS_FILE, type PartsRecord } from "../../../program/parts/parts.ts";

const REPOSITORY = join(import.meta.dirname, "../../..");

t.test("a new clone fetches nothing: it makes what it lacks", async (t) => {
  const folder = await makeInstallation(t.testdir());
  t.same(await missingParts(folder), []);
});

t.test("an archive of the command lacks what is neither beside it nor in the cache", async (t) => {
  const folder = await makeInstallation(t.testdir());
  const part = { file: "part.tgz", bytes: 1, sha256: "0".repeat(64), digest: "0".repeat(64) };
  const parts = Object.fromEntries(PART_NAMES.map((name) => [name, part])) as PartsRecord["parts"];
  const record: PartsRecord = { version: "0.1.0", parts };
  await writeFile(join(folder, PARTS_FILE), JSON.stringify(record));
  t.same(await missingParts(folder), PART_NAMES);
  await mkdir(join(folder, PARTS.pages), { recursive: true });
  t.same(
    await missingParts(folder),
    PART_NAMES.filter((name) => name !== "pages"),
  );
});

/** An installation with nothing but the module under test. */
async function makeInstallation(folder: string): Promise<string> {
  await mkdir(join(folder, "program/parts"), { recursive: true });
  await writeFile(join(folder, "package.json"), `{ "type": "module" }`);
  for (const name of ["find-part.ts", "parts.ts"])
    await copyFile(join(REPOSITORY, "program/parts", name), join(folder, "program/parts", name));
  return folder;
}

async function missingParts(folder: string): Promise<string[]> {
  const module = JSON.stringify(join(folder, "program/parts/find-part.ts"));
  const names = JSON.stringify(PART_NAMES);
  const script = `const { hasPart } = await import(${module});
    process.stdout.write(JSON.stringify(${names}.filter((name) => !hasPart(name))));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", script],
    { cwd: REPOSITORY, env: { ...process.env, AVATAR_PARTS_DIR: join(folder, "cache") } },
  );
  return JSON.parse(stdout) as string[];
}
