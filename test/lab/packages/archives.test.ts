// The archives as programs get them: installed in an empty project, where nothing of the repository is.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { apiNote, readPacked } from "../../../lab/packages/packed-package.ts";
import { ROOT, readSourcePackages, type SourcePackage } from "../../../lab/packages/source-package.ts";
import { withPackedProject } from "../../helpers/packages/with-packed-project.ts";

const BIN = join(ROOT, "node_modules", ".bin");
const COMPILER = join(ROOT, "node_modules", "typescript-native", "bin", "tsc");
/** As strict as a project can be: it also checks the declarations of what it imports. */
const PROJECT = {
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable", "ESNext.Disposable"],
    module: "NodeNext",
    strict: true,
    noEmit: true,
    types: ["node"],
  },
  files: ["all.ts"],
};

const packages = await readSourcePackages();
const folders = packages.map(({ folder }) => folder);

t.test("installed in an empty project", async (t) => {
  await withPackedProject({ packages: folders, also: ["@types/node"] }, async (project) => {
    const check = async (names: readonly string[]) => {
      const lines = names.map((name) => `console.log("${name}", Object.keys(await import("${name}")).length > 0);`);
      t.equal(await project.runModule(lines.join("\n")), names.map((name) => `${name} true`).join("\n"));
    };

    await t.test("Node imports every package without what is optional", async () => {
      await project.link(...peersOf(packages, { optional: false }));
      await check(packages.map(({ manifest }) => manifest.name));
    });

    await t.test("Node imports every entry", async () => {
      await project.link(...peersOf(packages));
      await check(packages.flatMap(importedNames));
    });

    await t.test("the declarations are complete", async (t) => {
      const typed = peersOf(packages).map((name) => `@types/${name}`);
      await project.link(...typed.filter((name) => existsSync(join(ROOT, "node_modules", name))));
      const exported = packages
        .flatMap(importedNames)
        .map((name, index) => `export * as all${index} from "${name}";\n`);
      await writeFile(join(project.folder, "all.ts"), exported.join(""));
      await writeFile(join(project.folder, "tsconfig.json"), JSON.stringify(PROJECT));
      await t.resolves(project.run(process.execPath, [COMPILER, "--project", project.folder]));
    });
  });
});

for (const source of packages) {
  const { folder, manifest } = source;

  t.test(`${manifest.name}: the record of the API is that of the archive`, async (t) => {
    const record = await readFile(apiNote(folder), "utf8");
    t.equal(await readFile(join(ROOT, "sdk", folder, "api.md"), "utf8").catch(() => ""), record, "npm run packages");
  });

  t.test(`${manifest.name}: publint and are-the-types-wrong have nothing to say`, async (t) => {
    const { archive } = (await readPacked(folder))!;
    const check = (command: string, ...flags: string[]) =>
      promisify(execFile)(join(BIN, command), [archive, ...flags]).catch(({ stdout }: { stdout: string }) =>
        t.fail(stdout),
      );
    // Programs of CommonJS load the modules with `require` since Node 20.19, or with `import()`.
    await Promise.all([check("publint", "--strict"), check("attw", "--profile", "esm-only")]);
  });
}

/** What programs import of a package. */
function importedNames({ manifest, entries }: SourcePackage): string[] {
  return entries.map(({ key }) => manifest.name + key.slice(1));
}

function peersOf(of: readonly SourcePackage[], { optional = true } = {}): string[] {
  const names = of.flatMap(({ manifest: { peerDependencies = {}, peerDependenciesMeta = {} } }) =>
    Object.keys(peerDependencies).filter((name) => optional || !peerDependenciesMeta[name]?.optional),
  );
  return [...new Set(names)].filter((name) => !packages.some(({ manifest }) => manifest.name === name));
}
