// Makes the widget's elements. Without markup as text, which Trusted Types would refuse.

type Child = Node | string | undefined;

/** An element with attributes (those with the value false are left out) and children; strings become text. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number | boolean>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A button that shows a symbol. `label` is its accessible name. */
export function iconButton(className: string, label: string, icon: SVGSVGElement, act: () => void): HTMLButtonElement {
  const button = make("button", { class: className, type: "button", "aria-label": label, title: label }, icon);
  button.addEventListener("click", act);
  return button;
}

const PATHS = {
  chat: "M5 5h14v11H11l-4 3.5V16H5z",
  close: "M6 6l12 12M18 6L6 18",
  sound: "M4 9.5v5h3.5L12 18V6L7.5 9.5zM15.5 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11",
  silent: "M4 9.5v5h3.5L12 18V6L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5",
  move: "M9 6v.01M9 12v.01M9 18v.01M15 6v.01M15 12v.01M15 18v.01",
  resize: "M19 9v10H9M19 14v5h-5",
  play: "M8.5 5.5v13l10-6.5z",
} as const;

const SVG = "http://www.w3.org/2000/svg";

export function icon(name: keyof typeof PATHS): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A picture of the face, or a symbol where there is none or it does not load. */
export function facePicture(imageUrl: string, fallback: SVGSVGElement): HTMLElement {
  const picture = make("span", { class: "picture" }, fallback);
  if (imageUrl === "") return picture;
  const image = make("img", { src: imageUrl, alt: "", decoding: "async" });
  image.addEventListener("load", () => fallback.remove());
  image.addEventListener("error", () => image.remove());
  picture.append(image, make("span", { class: "mark", title: LABEL }, "AI"));
  return picture;
}

/** What every form says of its face. */
export const LABEL = "AI-generated face";
