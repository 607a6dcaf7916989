// The looks of the element. A page changes them by custom properties and `::part()`.

const STYLES = `
:host {
  --face-radius: var(--avatar-face-radius, 20px);
  --face-accent: var(--avatar-face-accent, #0d7d74);
  --face-quiet: var(--avatar-face-quiet, color-mix(in srgb, currentColor 66%, transparent));
  --face-ground: var(--avatar-face-ground, color-mix(in srgb, currentColor 10%, transparent));
  display: block;
  width: 320px;
  max-width: 100%;
  color: inherit;
  font: 15px/1.4 system-ui, sans-serif;
}
:host([hidden]), [hidden] { display: none !important; }
.mat {
  position: relative;
  padding: 5px;
  border: 1px solid color-mix(in srgb, currentColor 16%, transparent);
  border-radius: calc(var(--face-radius) + 5px);
}
.mat::after {
  position: absolute;
  inset: 0;
  border: 3px solid var(--face-accent);
  border-radius: inherit;
  content: "";
  opacity: 0;
  pointer-events: none;
  transition: opacity 240ms;
}
.root[data-state="speaking"] .mat::after, .root[data-state="listening"] .mat::after { opacity: 1; }
.root[data-state="thinking"] .mat::after { opacity: 1; border-style: dashed; }
.picture {
  position: relative;
  aspect-ratio: 1;
  overflow: hidden;
  border-radius: var(--face-radius);
  background: var(--face-ground);
}
.picture > * {
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  object-fit: cover;
}
.moving { opacity: 0; transition: opacity 700ms; }
.root[data-face="alive"] .moving { opacity: 1; }
.line { display: flex; gap: 8px; align-items: center; min-height: 28px; padding: 4px 5px 0; }
.line > * { margin: 0; }
.label { flex: 1; color: var(--face-quiet); font-size: 13px; }
.sound {
  min-height: 44px;
  padding: 0 20px;
  border: 0;
  border-radius: 22px;
  background: var(--face-accent);
  color: #fff;
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
.sound:focus-visible { outline: 3px solid var(--face-accent); outline-offset: 2px; }
.caption, .notice { margin: 4px 5px 0; overflow-wrap: anywhere; text-wrap: balance; }
.caption { min-height: 2.8em; text-align: center; }
.notice { color: var(--face-quiet); font-size: 13px; }
@media (prefers-color-scheme: dark) {
  :host { --face-accent: var(--avatar-face-accent, #2f9d92); }
  .sound { color: #06110f; }
}
@media (prefers-reduced-motion: reduce) {
  .moving, .mat::after { transition: none; }
}
`;

let sheet: CSSStyleSheet | undefined;

/** One sheet for all faces of the page. Made by script, because policies forbid inline styles, not these. */
export function faceStyles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
  }
  return sheet;
}
