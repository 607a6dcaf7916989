// The page of the media sheet: everything to look at and listen to, in one file without scripts.
import type { SheetItem } from "./media-sheet.ts";

const TITLES: Readonly<Record<SheetItem["section"], string>> = {
  voices: "Voices",
  faces: "Talking videos",
  gestures: "Gestures",
};
const STYLE =
  "body{font:16px/1.4 system-ui,sans-serif;margin:2rem;background:#f6f5f2;color:#222}" +
  "section{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1.2rem}" +
  "figure{margin:0}video,audio{width:100%;display:block;border-radius:.5rem}" +
  "figcaption{margin-top:.3rem}small{color:#555;display:block}";

/** The HTML. Files are linked by their names, so the page lies in their folder. */
export function mediaPage(items: readonly SheetItem[]): string {
  const sections = Object.entries(TITLES).map(([section, title]) => {
    const figures = items.filter((item) => item.section === section).map(figureOf);
    return figures.length === 0 ? "" : `<h2>${title}</h2>\n<section>\n${figures.join("\n")}\n</section>\n`;
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Media sheet</title><style>${STYLE}</style>
<h1>Media sheet</h1>
${sections.join("")}</html>
`;
}

function figureOf({ section, name, about, file, seconds }: SheetItem): string {
  const source = `controls preload="metadata" src="${escaped(encodeURIComponent(file))}"`;
  const player = section === "voices" ? `<audio ${source}></audio>` : `<video ${source}></video>`;
  const caption = `<figcaption>${escaped(name)}<small>${escaped(about)} ${seconds.toFixed(1)} s</small></figcaption>`;
  return `<figure>${player}${caption}</figure>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
