// The declarations of the packages: one file for each entry, and the record of the public API that git holds.
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { promisify } from "node:util";
import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  ExtractorLogLevel,
  type IConfigFile,
} from "@microsoft/api-extractor";
import { MODULE_FOLDER } from "./bundle-package.ts";
import { type Entry, importedAs, packageAround, ROOT, type SourcePackage } from "./source-package.ts";

const COMPILER = join(ROOT, "node_modules", "typescript-native", "bin", "tsc");

/** Name of an entry's declarations in the archive. */
export function declarationName({ key }: Entry): string {
  return `${key === "." ? "index" : key.slice(2).replaceAll("/", "-")}.d.ts`;
}

/** Writes declarations into `<stages>/<folder>/dist`, and returns the record of each package's API by its folder.
 *  `work` is an empty folder of the repository. Throws what the compiler prints, and a problem of the API extractor. */
export async function rollUpTypes(
  chosen: readonly SourcePackage[],
  packages: readonly SourcePackage[],
  { stages, work }: { stages: string; work: string },
): Promise<Map<string, string>> {
  const entries = chosen.flatMap(({ folder, entries }) => entries.map((entry) => ({ folder, entry })));
  await emitDeclarations(packages, work);
  const configs = entries.map(({ folder, entry }) => extractorConfig({ folder, entry, stages, work }));
  const program = CompilerState.create(configs[0], {
    additionalEntryPoints: configs.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
  });
  const records = new Map<string, string>();
  for (const [index, config] of configs.entries()) {
    const { folder, entry } = entries[index];
    const problems: string[] = [];
    const result = Extractor.invoke(config, {
      localBuild: true,
      compilerState: program,
      messageCallback: (message) => {
        message.handled = true;
        if (message.logLevel === ExtractorLogLevel.Error) problems.push(message.text);
      },
    });
    if (problems.length > 0 || !result.succeeded)
      throw new Error(`The API of sdk/${folder} can't be described:\n${problems.join("\n")}`);
    const record = await readFile(config.reportFilePath, "utf8");
    records.set(
      folder,
      (records.get(folder) ?? "") +
        titled(
          record,
          entry,
          chosen.find((one) => one.folder === folder),
        ),
    );
  }
  return records;
}

/** The extractor's report has a title for the package; each entry gets one of its own. */
function titled(record: string, { key }: Entry, source: SourcePackage | undefined): string {
  const name = `${source?.manifest.name}${key.slice(1)}`;
  // A place in a declaration file depends on where this repository is.
  const stable = record.replace(/^\/\/ \/.* - (?=\(\w+-)/gm, "// ");
  const code = /^```ts\n+(.*?)\n+(?:\/\/ \(No @packageDocumentation.*\)\n+)?```$/ms.exec(stable)![1];
  return `## \`${name}\`\n\n\`\`\`ts\n${code}\n\`\`\`\n\n`;
}

/** Compiles the sources of all packages to declarations, in which packages import each other by name. */
async function emitDeclarations(packages: readonly SourcePackage[], work: string): Promise<void> {
  const files = packages.flatMap(({ entries }) => entries.map(({ types }) => types));
  const project = {
    extends: relative(work, join(ROOT, "tsconfig.json")),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      incremental: false,
      rootDir: ROOT,
      outDir: join(work, "types"),
    },
    include: [],
    files,
  };
  await writeFile(join(work, "tsconfig.json"), JSON.stringify(project));
  await promisify(execFile)(process.execPath, [COMPILER, "--project", work]).catch((error: { stdout: string }) => {
    throw new Error(`The sources of the packages do not compile:\n${error.stdout}`);
  });
  await importByName(packages, work);
  for (const { manifest, entries } of packages) {
    const stub = join(work, "node_modules", manifest.name);
    await mkdir(stub, { recursive: true });
    const exported = entries.map((entry) => [entry.key, { types: `./${declarationName(entry)}` }]);
    await writeFile(
      join(stub, "package.json"),
      JSON.stringify({ name: manifest.name, type: "module", exports: Object.fromEntries(exported) }),
    );
    for (const entry of entries) {
      const target = relative(stub, declarationOf(entry.types, work)).replaceAll("\\", "/");
      await writeFile(join(stub, declarationName(entry)), `export * from ${JSON.stringify(target)};\n`);
    }
  }
}

function declarationOf(path: string, work: string): string {
  return join(work, "types", relative(ROOT, path)).replace(/\.tsx?$/, ".d.ts");
}

/** Imports of another package's sources become imports of the package. */
async function importByName(packages: readonly SourcePackage[], work: string): Promise<void> {
  const folder = join(work, "types", "sdk");
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(".d.ts")) continue;
    const path = join(folder, name);
    const source = join(ROOT, "sdk", name);
    const text = await readFile(path, "utf8");
    const changed = text.replace(/"(\.\.?\/[^"]+\.tsx?)"/g, (whole, target: string) => {
      const file = resolve(dirname(source), target);
      const around = packageAround(file, packages);
      if (around === undefined || around === packageAround(source, packages)) return whole;
      return JSON.stringify(importedAs(file, packages) ?? target);
    });
    if (changed !== text) await writeFile(path, changed);
  }
}

function extractorConfig(of: { folder: string; entry: Entry; stages: string; work: string }): ExtractorConfig {
  const { folder, entry, stages, work } = of;
  const reports = join(work, "reports", folder, declarationName(entry));
  const silent = { logLevel: ExtractorLogLevel.None };
  const configObject: IConfigFile = {
    projectFolder: work,
    mainEntryPointFilePath: declarationOf(entry.types, work),
    compiler: {
      overrideTsconfig: {
        compilerOptions: {
          target: "ES2023",
          lib: ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable", "ESNext.Disposable"],
          module: "NodeNext",
          moduleResolution: "NodeNext",
          allowImportingTsExtensions: true,
          strict: true,
          noEmit: true,
          skipLibCheck: true,
          types: ["node"],
        },
      },
    },
    apiReport: {
      enabled: true,
      reportFileName: "api",
      reportFolder: reports,
      reportTempFolder: join(reports, "temp"),
    },
    docModel: { enabled: false },
    dtsRollup: {
      enabled: true,
      untrimmedFilePath: join(stages, folder, MODULE_FOLDER, declarationName(entry)),
    },
    tsdocMetadata: { enabled: false },
    newlineKind: "lf",
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      // What it says of comments and missing exports stands in the record.
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.Error },
        "ae-missing-release-tag": silent,
        "ae-undocumented": silent,
        "ae-forgotten-export": { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
      },
      tsdocMessageReporting: { default: silent },
    },
  };
  return ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(stages, folder, "package.json"),
  });
}
