// The looks of the widgets: sheets that a script makes, because policies forbid inline styles, not these. What a page
// says of `avatar-widget` reaches the element around them only.
import { ACCENT_NAMES, accentValue } from "../../shared/accents.ts";
import { COLOURS } from "./theme-colours.ts";

function themeRules(): string {
  const colours = Object.entries(COLOURS).map(([name, [day, night]]) => `--${name}:light-dark(${day},${night});`);
  const accents = ACCENT_NAMES.map((name) => `.root[data-colour=${name}]{--accent:${accentValue(name)}}`);
  return `.root{color-scheme:light;${colours.join("")}}.root[data-theme=dark]{color-scheme:dark}.root[data-theme=auto]{color-scheme:light dark}${accents.join("")}`;
}

const RULES = `
:host([hidden]), [hidden] { display: none !important; }
.root, .root * { box-sizing: border-box; }
.root {
  --shadow: 0 1px 2px rgb(0 0 0 / 12%), 0 12px 36px rgb(0 0 0 / 20%);
  font: 500 15px/1.4 "Inter", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  letter-spacing: normal;
  text-align: start;
  text-transform: none;
  color: var(--ink);
  -webkit-text-size-adjust: 100%;
}
p, h2 { margin: 0; font: inherit; }
button {
  margin: 0;
  padding: 0;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  text-align: inherit;
  cursor: pointer;
  -webkit-tap-highlight-color: transparent;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
svg {
  display: block;
  width: 20px;
  height: 20px;
  fill: none;
  stroke: currentcolor;
  stroke-linecap: round;
  stroke-linejoin: round;
  stroke-width: 1.8;
}
.dock {
  position: fixed;
  z-index: var(--z);
  display: flex;
  flex-direction: column;
  align-items: flex-end;
  gap: 12px;
  max-width: calc(100vw - 16px);
  pointer-events: none;
}
.dock > * { pointer-events: auto; }
.dock[data-x=left] { left: calc(var(--x) + env(safe-area-inset-left, 0px)); align-items: flex-start; }
.dock[data-x=right] { right: calc(var(--x) + env(safe-area-inset-right, 0px)); }
.dock[data-y=top] { top: calc(var(--y) + env(safe-area-inset-top, 0px)); flex-direction: column-reverse; }
.dock[data-y=bottom] { bottom: calc(var(--y) + env(safe-area-inset-bottom, 0px)); }
.root[dir=ltr] .dock[data-x=left], .root[dir=rtl] .dock[data-x=right] { align-items: flex-start; }
.root[dir=rtl] .dock[data-x=left] { align-items: flex-end; }

.launch {
  display: inline-flex;
  align-items: center;
  gap: 10px;
  min-width: 52px;
  height: 52px;
  padding: 0 22px 0 18px;
  max-width: 100%;
  border-radius: 999px;
  background: var(--accent);
  color: var(--accent-ink);
  box-shadow: var(--shadow);
  font-weight: 600;
  transition: transform 160ms, box-shadow 160ms;
}
.launch:hover { transform: translateY(-2px); }
.launch:active { transform: none; }
.launch .picture { width: 36px; height: 36px; margin-inline-start: -10px; }
.launch.circle { justify-content: center; padding: 0; width: 52px; }
.launch.circle .picture { margin: 0; }
.words { display: grid; min-width: 0; }
.words > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.sub { font-size: 13px; font-weight: 400; }
.picture { position: relative; flex: none; display: grid; place-items: center; border-radius: 50%; }
.picture img { width: 100%; height: 100%; border-radius: inherit; object-fit: cover; }
.picture svg { position: absolute; }
.mark {
  position: absolute;
  inset-inline-end: -4px;
  bottom: -3px;
  padding: 0 4px;
  border-radius: 999px;
  background: var(--panel);
  color: var(--ink);
  font-size: 10px;
  font-weight: 700;
  line-height: 15px;
}

.face { position: relative; overflow: hidden; background: var(--ground); }
.face::before {
  position: absolute;
  inset: 0;
  background: linear-gradient(100deg, transparent 30%, var(--line) 50%, transparent 70%) 100% 0 / 250% 100%;
  content: "";
  animation: wait 1600ms linear infinite;
}
.face:not([data-waits])::before { display: none; }
@keyframes wait { to { background-position: -150% 0; } }
iframe {
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  border: 0;
  transition: opacity 240ms;
}
.face[data-waits] iframe { opacity: 0; }
.notice { font-size: 13px; font-weight: 400; color: var(--ink); overflow-wrap: anywhere; }
.notice:not(:empty) { padding: 8px 12px; border-radius: 12px; background: var(--panel); box-shadow: var(--shadow); }
.notice button { margin-inline-start: 6px; min-height: 28px; color: var(--accent); font-weight: 600; text-decoration: underline; }
.label { font-size: 11px; font-weight: 400; line-height: 1.3; color: var(--quiet); }

.tools {
  display: flex;
  padding: 2px;
  border-radius: 999px;
  background: var(--panel);
  box-shadow: var(--shadow);
  transition: opacity 160ms;
}
.tool { display: grid; place-items: center; width: 36px; height: 36px; flex: none; border-radius: 50%; color: var(--quiet); }
.tool:hover, .tool[aria-pressed=true] { background: var(--ground); color: var(--ink); }
.tool.move { cursor: move; touch-action: none; }
@media (pointer: coarse) { .tool { width: 44px; height: 44px; } }

.float { display: flex; flex-direction: column; align-items: center; gap: 8px; pointer-events: none; }
.float > * { pointer-events: auto; }
.float .stand { position: relative; }
.float .face { width: var(--size); height: var(--size); box-shadow: var(--shadow); }
.root[data-shape=rounded] .face { border-radius: 20px; }
.root[data-shape=circle] .face { border-radius: 50%; }
.root[data-transparent] .face { background: none; box-shadow: none; }
.float .notice { max-width: max(var(--size), 200px); }
.float .label {
  padding: 2px 8px;
  border-radius: 999px;
  background: var(--panel);
  text-align: center;
  white-space: nowrap;
}
@media (hover: hover) {
  .float .tools { opacity: 0; }
  .float:is(:hover, :focus-within, [data-moves]) .tools { opacity: 1; }
  .float .resize { opacity: 0; }
  .float:is(:hover, :focus-within, [data-moves]) .resize { opacity: 1; }
}
.resize {
  position: absolute;
  right: -16px;
  bottom: -16px;
  display: grid;
  place-items: center;
  width: 28px;
  height: 28px;
  border-radius: 50%;
  background: var(--panel);
  color: var(--quiet);
  box-shadow: var(--shadow);
  cursor: nwse-resize;
  touch-action: none;
  transition: opacity 160ms;
}
.resize svg { width: 15px; height: 15px; }
.dock[data-x=right] .resize { right: auto; left: -16px; cursor: nesw-resize; transform: scaleX(-1); }
.dock[data-y=bottom] .resize { bottom: auto; top: -16px; transform: scaleY(-1); }
.dock[data-y=bottom][data-x=right] .resize { cursor: nwse-resize; transform: scale(-1); }
[data-moves] iframe { pointer-events: none; }

.launch.preview, .launch.bar { height: max(var(--fab), 44px); background: var(--panel); color: var(--ink); padding: 0 20px 0 6px; }
.root[dir=rtl] .launch.preview, .root[dir=rtl] .launch.bar { padding: 0 6px 0 20px; }
.launch.preview .picture, .launch.bar .picture {
  width: calc(max(var(--fab), 44px) - 12px);
  height: calc(max(var(--fab), 44px) - 12px);
  margin: 0;
  background: var(--accent);
  color: var(--accent-ink);
}
.launch.bar { border-radius: 16px; width: min(var(--open), 320px); }
.launch.bar .picture { border-radius: 11px; }
.chat .launch.circle { width: var(--fab); height: var(--fab); }
.chat .launch.circle .picture { width: calc(var(--fab) - 8px); height: calc(var(--fab) - 8px); }
.launch .sub { color: var(--quiet); }
.launch[data-pulse]::after {
  position: absolute;
  inset: 0;
  border: 2px solid var(--accent);
  border-radius: inherit;
  content: "";
  opacity: 0;
  animation: pulse 1800ms ease-out 1s 3;
}
.launch { position: relative; }
@keyframes pulse { from { opacity: 0.9; } to { opacity: 0; transform: scale(1.25); } }

.teaser, .banner { background: var(--panel); box-shadow: var(--shadow); animation: rise 240ms; }
.teaser { position: relative; display: flex; align-items: flex-start; max-width: 280px; border-radius: 16px; }
.teaser > button:first-child { padding: 12px 0 12px 16px; font-weight: 400; overflow-wrap: anywhere; }
.root[dir=rtl] .teaser > button:first-child { padding: 12px 16px 12px 0; }
.teaser .tool { margin: 4px; }
@keyframes rise { from { opacity: 0; transform: translateY(8px); } }

.panel {
  position: fixed;
  z-index: var(--z);
  display: flex;
  flex-direction: column;
  width: min(var(--open), 100vw - 2 * var(--x));
  height: min(680px, 100dvh - 2 * var(--y));
  overflow: hidden;
  border: 1px solid var(--line);
  border-radius: 20px;
  background: var(--ground);
  box-shadow: var(--shadow);
  animation: rise 160ms;
}
.panel[data-x=left] { left: calc(var(--x) + env(safe-area-inset-left, 0px)); }
.panel[data-x=right] { right: calc(var(--x) + env(safe-area-inset-right, 0px)); }
.panel[data-y=top] { top: calc(var(--y) + env(safe-area-inset-top, 0px)); }
.panel[data-y=bottom] { bottom: calc(var(--y) + env(safe-area-inset-bottom, 0px)); }
.head {
  display: flex;
  align-items: center;
  gap: 4px;
  padding: 10px 10px 10px 16px;
  border-bottom: 1px solid var(--line);
  background: var(--panel);
}
.root[dir=rtl] .head { padding: 10px 16px 10px 10px; }
.head .picture { width: 36px; height: 36px; margin-inline-end: 8px; background: var(--accent); color: var(--accent-ink); }
.head .mark { display: none; }
.head .words { flex: 1; }
.head h2 { font-weight: 650; }
.panel .face { flex: 1; min-height: 0; }
.panel .notice:not(:empty) { border-radius: 0; box-shadow: none; border-top: 1px solid var(--line); }
@media (max-width: 520px), (max-height: 460px) {
  .panel:is([data-x], [data-y]) {
    inset: 0;
    width: auto;
    height: auto;
    border: 0;
    border-radius: 0;
    padding: env(safe-area-inset-top, 0px) env(safe-area-inset-right, 0px) env(safe-area-inset-bottom, 0px)
      env(safe-area-inset-left, 0px);
    background: var(--panel);
  }
}

.banner {
  position: fixed;
  inset: 0 0 auto;
  z-index: var(--z);
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 6px 10px;
  padding: calc(6px + env(safe-area-inset-top, 0px)) 8px 6px 20px;
  border-bottom: 1px solid var(--line);
}
.banner .words { flex: 1 1 200px; padding: 6px 0; }
.banner .words > * { white-space: normal; }
.chip { min-height: 36px; padding: 0 14px; border: 1px solid var(--accent); border-radius: 999px; color: var(--accent); font-weight: 600; }
.chip:hover { background: var(--accent); color: var(--accent-ink); }

.inline, .inline .stand { position: absolute; inset: 0; display: grid; }
.inline .face { position: absolute; inset: 0; }
.cover { position: absolute; inset: 0; display: grid; align-content: end; justify-items: center; gap: 8px; padding: 16px; }
.cover img { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; }
.cover .mark { display: none; }
.cover > .picture { position: absolute; inset: 0; border-radius: 0; color: var(--quiet); }
.cover > .picture > svg { width: 30%; height: 30%; opacity: 0.35; stroke-width: 1; }
.cover .launch { position: relative; }
.cover .label, .inline .label.over { position: relative; padding: 2px 8px; border-radius: 999px; background: var(--panel); }
.inline .label.over { position: absolute; bottom: 6px; inset-inline-start: 50%; transform: translateX(-50%); white-space: nowrap; }
.root[dir=rtl] .label.over { transform: translateX(50%); }
.inline .notice:not(:empty) { position: absolute; inset: auto 8px 8px; }

@media (prefers-reduced-motion: reduce) {
  .root *, .root *::before, .root *::after { animation: none !important; transition: none !important; }
}
@media print { .root { display: none; } }
`;

let sheet: CSSStyleSheet | undefined;

/** One sheet for all widgets of the page. */
export function widgetStyles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(themeRules() + RULES);
  }
  return sheet;
}

/** Custom properties of one widget, in a sheet of its own. */
export class OwnStyles {
  readonly sheet = new CSSStyleSheet();
  readonly #style: CSSStyleDeclaration;

  /** `isInline`: the page gives the element its size. */
  constructor(isInline: boolean) {
    this.sheet.insertRule(
      isInline
        ? ":host{display:block;position:relative;width:320px;max-width:100%;aspect-ratio:4/5}"
        : ":host{display:contents!important}",
    );
    this.sheet.insertRule(".root {}");
    this.#style = (this.sheet.cssRules[0] as CSSStyleRule).style;
  }

  /** Sets `--<name>`; numbers are px. */
  set(name: string, value: number | string): void {
    this.#style.setProperty(`--${name}`, typeof value === "number" ? `${value}px` : value);
  }
}
