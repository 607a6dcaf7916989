// The licences of the npm packages that are written into an archive.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./source-package.ts";

const LICENCE_FILE = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

/** Text with name, version and licence of each npm package among the inputs (paths below the root). Empty without
 *  npm packages. Throws if one has no licence file, and we have no copy of it. */
export async function thirdPartyNotices(inputs: readonly string[]): Promise<string> {
  const folders = [...new Set(inputs.flatMap((path) => /^(.*node_modules\/(@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []))];
  const parts = await Promise.all(
    folders.sort().map(async (folder) => {
      const at = join(ROOT, folder);
      const { name, version, license } = JSON.parse(await readFile(join(at, "package.json"), "utf8"));
      const files = (await readdir(at)).filter((file) => LICENCE_FILE.test(file));
      const paths = files.length > 0 ? files.map((file) => join(at, file)) : [ownCopy(name)];
      const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
      return `${name} ${version} (${license})\n\n${texts.map((text) => text.trim()).join("\n\n")}\n`;
    }),
  );
  return parts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Of the licence of a package that comes without it. */
function ownCopy(name: string): string {
  return fileURLToPath(new URL(`./licences/${name.replaceAll("/", "-")}.txt`, import.meta.url));
}
