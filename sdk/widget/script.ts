// The script /widget.js: `AvatarWidget` for pages without a bundler, and a widget from the attributes of its own tag.
import { currentWidget, defineElement, init } from "./init.ts";
import { setScriptAddress } from "./script-address.ts";
import type { WidgetInit } from "./widget-init.ts";

/** Methods of the widget of `init`; without one they do nothing. */
const api = {
  init,
  open: () => currentWidget()?.open(),
  close: () => currentWidget()?.close(),
  isOpen: () => currentWidget()?.isOpen() ?? false,
  say: (text: string, mode?: "say" | "ask") => currentWidget()?.say(text, mode),
  mute: (isMuted?: boolean) => currentWidget()?.mute(isMuted),
  setTheme: (theme: string, colour?: string) => currentWidget()?.setTheme(theme, colour),
  destroy: () => currentWidget()?.destroy(),
};

declare global {
  interface Window {
    AvatarWidget?: typeof api;
  }
}

const script = document.currentScript;
// A page that loads the script twice has one `AvatarWidget`, which tells of the second `init`. The page's element with
// that id is something else.
const widgets = typeof window.AvatarWidget?.init === "function" ? window.AvatarWidget : api;
if (widgets === api) {
  if (script instanceof HTMLScriptElement) setScriptAddress(script.src);
  window.AvatarWidget = api;
  defineElement();
}
const attributes = script instanceof HTMLScriptElement ? Object.entries(script.dataset) : [];
if (attributes.some(([name]) => ["agentId", "agentUrl"].includes(name)))
  widgets.init(Object.fromEntries(attributes) as WidgetInit);
