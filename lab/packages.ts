// `npm run packages`: makes the installable archives of the packages in `sdk/`, of the command `avatar` with its models
// and pages, and the Python wheel, in dist/packages.
import { relative } from "node:path";
import { Command } from "commander";
import { createProgress } from "../cli/start/progress.ts";
import { textTable } from "../cli/terminal/text-table.ts";
import { writeJson } from "../cli/terminal/write-json.ts";
import { buildPackages } from "./packages/build-packages.ts";
import { buildWheel } from "./packages/build-wheel.ts";
import { buildCommand } from "./packages/command/build-command.ts";
import { OUT_FOLDER } from "./packages/packed-package.ts";
import { missingVenv, venvPython } from "./packages/python-venv.ts";
import { readSourcePackages } from "./packages/source-package.ts";

interface PackagesFlags {
  only?: string[];
  command: boolean;
  records: boolean;
  json: boolean;
}

const program = new Command("npm run packages --")
  .description(
    "Makes the archives of the packages and of the command avatar in dist/packages, and the records of their public API (sdk/<folder>/api.md). Unchanged packages are not made again.",
  )
  .option(
    "--only <folders...>",
    "only packages of these folders below sdk/, for example client engine; cli is the command",
  )
  .option("--no-records", "leave the records of the API as they are")
  .option("--no-command", "leave out the archive of the command avatar, and those of its models and pages")
  .option("--json", "print one JSON object", false)
  .parse();

const { only, command, records, json } = program.opts<PackagesFlags>();
/** Stands for the archive of the command, beside the folders of packages. */
const CLI = "cli";
const known = [...(await readSourcePackages()).map(({ folder }) => folder), CLI];
const unknown = only?.find((folder) => !known.includes(folder));
if (unknown !== undefined) program.error(`There is no package sdk/${unknown}. The packages: ${known.join(", ")}.`);
try {
  const progress = createProgress(process.stderr);
  const folders = only?.filter((name) => name !== CLI);
  const packages = await buildPackages({ only: folders, writesRecords: records, progress });
  const wheel = only ? null : await makeWheel();
  const ofCommand = (only?.includes(CLI) ?? command) ? await buildCommand(progress) : null;
  const others = ofCommand ? [ofCommand.command, ...ofCommand.parts] : [];
  if (json) writeJson({ packages, wheel, command: ofCommand?.command ?? null, parts: ofCommand?.parts ?? [] });
  else {
    const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} KB`;
    const rows = [...packages, ...others].map(({ archive, packed_bytes, unpacked_bytes }) => [
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
