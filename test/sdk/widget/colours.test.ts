// The widgets' colours: those of the pages, and accents on which text can be read.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { COLOURS } from "../../../sdk/widget/theme-colours.ts";
import { ACCENTS } from "../../../shared/accents.ts";

const PROJECT = join(import.meta.dirname, "..", "..", "..");

/** Contrast of two #rrggbb colours, 1 to 21. Source: WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

t.test("widgets have the colours of the pages, by day and by night", async (t) => {
  const tokens = await readFile(join(PROJECT, "web", "shared", "tokens.css"), "utf8");
  for (const [name, [day, night]] of Object.entries(COLOURS)) {
    t.ok(tokens.includes(`--${name}: light-dark(${day}, ${night});`), name);
  }
});

t.test("text on an accent can be read, and so can an accent on the panel", async (t) => {
  const [inkByDay, inkByNight] = COLOURS["accent-ink"];
  const [panelByDay, panelByNight] = COLOURS.panel;
  for (const [name, [day, night]] of Object.entries(ACCENTS)) {
    for (const [accent, ink, panel] of [
      [day, inkByDay, panelByDay],
      [night, inkByNight, panelByNight],
    ]) {
      t.ok(contrast(accent, ink) >= 4.5, `${name}: text has ${contrast(accent, ink).toFixed(1)}:1`);
      t.ok(contrast(accent, panel) >= 4.5, `${name}: on the panel ${contrast(accent, panel).toFixed(1)}:1`);
    }
  }
});
