// `npm run packages`: makes the installable archives of the packages in `sdk/` and the Python wheel, in dist/packages.
import { relative } from "node:path";
import { Command } from "commander";
import { createProgress } from "../cli/start/progress.ts";
import { textTable } from "../cli/terminal/text-table.ts";
import { writeJson } from "../cli/terminal/write-json.ts";
import { buildPackages } from "./packages/build-packages.ts";
import { buildWheel } from "./packages/build-wheel.ts";
import { OUT_FOLDER } from "./packages/packed-package.ts";
import { missingVenv, venvPython } from "./packages/python-venv.ts";
import { readSourcePackages } from "./packages/source-package.ts";

interface PackagesFlags {
  only?: string[];
  records: boolean;
  json: boolean;
}

const program = new Command("npm run packages --")
  .description(
    "Makes the archives that other programs install, in dist/packages, and the records of their public API (sdk/<folder>/api.md). Unchanged packages are not made again.",
  )
  .option("--only <folders...>", "only packages of these folders below sdk/, for example client engine")
  .option("--no-records", "leave the records of the API as they are")
  .option("--json", "print one JSON object", false)
  .parse();

const { only, records, json } = program.opts<PackagesFlags>();
const known = (await readSourcePackages()).map(({ folder }) => folder);
const unknown = only?.find((folder) => !known.includes(folder));
if (unknown !== undefined) program.error(`There is no package sdk/${unknown}. The packages: ${known.join(", ")}.`);
try {
  const packages = await buildPackages({ only, writesRecords: records, progress: createProgress(process.stderr) });
  const wheel = only ? null : await makeWheel();
  if (json) writeJson({ packages, wheel });
  else {
    const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} KB`;
    const rows = packages.map(({ archive, packed_bytes, unpacked_bytes }) => [
      relative(process.cwd(), archive),
      kilobytes(packed_bytes),
      kilobytes(unpacked_bytes),
    ]);
    process.stdout.write(`${textTable(["archive", "size", "unpacked"], rows)}\n`);
    if (wheel) process.stdout.write(`${relative(process.cwd(), wheel)}\n`);
  }
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Path of the wheel; null, with a line on how to get it, without its Python environment. */
async function makeWheel(): Promise<string | null> {
  const python = venvPython(process.env);
  const missing = await missingVenv(python);
  if (missing === null) return buildWheel(python, OUT_FOLDER);
  process.stderr.write(`The wheel is left out: ${missing}\n`);
  return null;
}
