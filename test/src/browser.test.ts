// The engine's entry for browsers: bundled as for a tab, and what only a tab needs.
import { isBuiltin } from "node:module";
import { fileURLToPath } from "node:url";
import t from "tap";
import { build, type Rolldown } from "vite";
import { writeRgba } from "../../src/face/rendering/i420-to-rgba.ts";
import { createI420Frame, i420ToRgb } from "../../src/signal/image/i420-frame.ts";

const ENTRY = fileURLToPath(new URL("../../src/browser.ts", import.meta.url));

t.test("what runs in a browser imports nothing of Node", async (t) => {
  t.same(await nodeImportsOf(ENTRY), []);
  const nodeEntry = fileURLToPath(new URL("../../src/face/imx/imx-file.ts", import.meta.url));
  t.same(await nodeImportsOf(nodeEntry), ["node:fs/promises"], "the check sees an import of that kind");
});

t.test("RGBA of a frame is within one step of the exact conversion, and opaque", async (t) => {
  const frame = createI420Frame(32, 18);
  // Every plane runs through all its values, also those outside the limited range.
  frame.data.forEach((_, index) => {
    frame.data[index] = (index * 37) % 256;
  });
  const rgba = new Uint8ClampedArray(4 * 32 * 18);
  writeRgba(frame, rgba);
  const exact = i420ToRgb(frame).data;
  let largest = 0;
  for (let pixel = 0; pixel < 32 * 18; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      largest = Math.max(largest, Math.abs(rgba[4 * pixel + channel] - exact[3 * pixel + channel]));
    }
  }
  t.ok(largest <= 1, `largest difference ${largest}`);
  t.ok(rgba.every((value, index) => index % 4 !== 3 || value === 255));
  t.throws(() => writeRgba(frame, new Uint8ClampedArray(4)), RangeError);
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
