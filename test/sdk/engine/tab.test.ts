// The entry for tabs, bundled as for a tab.
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import t from "tap";
import { build, type Rolldown } from "vite";

const ENTRY = fileURLToPath(new URL("../../../sdk/engine/tab.ts", import.meta.url));

t.test("what runs in a browser imports nothing of Node", async (t) => {
  t.same(await nodeImportsOf(ENTRY), []);
  const nodeEntry = fileURLToPath(new URL("../../../src/face/imx/imx-file.ts", import.meta.url));
  t.same(await nodeImportsOf(nodeEntry), ["node:fs/promises"], "the check sees an import of that kind");
});

/** Node's own modules that a bundle for browsers would need, wherever in the tree of imports they are named. */
async function nodeImportsOf(entry: string): Promise<string[]> {
  const found = new Set<string>();
  await build({
    configFile: false,
    logLevel: "silent",
    plugins: [
      {
        name: "node-imports",
        enforce: "pre",
        resolveId(specifier) {
          if (!isBuiltin(specifier)) return null;
          found.add(specifier);
          return { id: specifier, external: true };
        },
      } satisfies Rolldown.Plugin & { enforce: "pre" },
    ],
    build: { write: false, lib: { entry, formats: ["es"] } },
  });
  return [...found].sort();
}
