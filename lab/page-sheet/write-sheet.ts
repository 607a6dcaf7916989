// Puts photographs of pages on one sheet: a row for each state.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import type { Shot } from "./photograph-states.ts";

export interface SheetOptions {
  browser: Browser;
  folder: string;
  shots: readonly Shot[];
}

/** Writes `index.html` and `sheet.png` beside the pictures. Returns the path of the latter. */
export async function writeSheet({ browser, folder, shots }: SheetOptions): Promise<string> {
  const index = join(folder, "index.html");
  await writeFile(index, sheetHtml(shots));
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
  try {
    await page.goto(pathToFileURL(index).href);
    const sheet = join(folder, "sheet.png");
    await page.screenshot({ path: sheet, fullPage: true });
    return sheet;
  } finally {
    await page.close();
  }
}

function sheetHtml(shots: readonly Shot[]): string {
  const rows = [...new Set(shots.map(({ state }) => state))].map((state) => {
    const pictures = shots
      .filter((shot) => shot.state === state)
      .map(({ file, name, width, problem, violations }) => {
        const wrong = problem ?? violations.join("; ");
        return `<figure class="w${width}"><img src="${file}" alt=""><figcaption>${escapeHtml(name)} <b>${escapeHtml(wrong)}</b></figcaption></figure>`;
      });
    return `<h2>${escapeHtml(state)}</h2><div>${pictures.join("")}</div>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Pages</title><style>
body { font: 13px sans-serif; margin: 20px; background: #fff; color: #000; }
div { display: flex; gap: 12px; align-items: flex-start; }
figure { margin: 0; } figcaption { max-width: 100%; } b { color: #b00; }
img { width: 100%; border: 1px solid #888; }
.w320 { width: 160px; } .w390 { width: 195px; } .w1280 { width: 560px; }
</style>${rows.join("\n")}\n`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
