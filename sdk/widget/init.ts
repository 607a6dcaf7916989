// `init`: one widget for a page, without an element in its markup.
import { AvatarWidgetElement } from "./avatar-widget-element.ts";
import type { WidgetInit } from "./widget-init.ts";

const TAG = "avatar-widget";
let current: AvatarWidgetElement | undefined;

/** Defines `<avatar-widget>`. May be repeated, also by a second copy of the script. */
export function defineElement(): void {
  if (globalThis.customElements && !customElements.get(TAG)) customElements.define(TAG, AvatarWidgetElement);
}

/** Adds a widget to the page: a floating face, unless `form` says otherwise. A second call changes nothing until the
 *  first widget is destroyed; it writes a line to the console, and returns the first widget. */
export function init(options: WidgetInit): AvatarWidgetElement {
  if (current) {
    console.warn("[avatar-widget] There is a widget already, and this init is ignored. Call destroy() before.");
    return current;
  }
  defineElement();
  const widget = document.createElement(TAG) as AvatarWidgetElement;
  const given = typeof options === "object" && options !== null ? options : {};
  widget.options = { ...given, form: given.form ?? "floating" };
  current = widget;
  widget.addEventListener("destroy", () => {
    if (current === widget) current = undefined;
  });
  place(widget, given.container);
  return widget;
}

/** The widget of `init`; undefined before it, and after `destroy`. */
export function currentWidget(): AvatarWidgetElement | undefined {
  return current;
}

/** Now, or once the page has a body. */
function place(widget: AvatarWidgetElement, container: string | Element | undefined): void {
  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", () => current === widget && append(widget, container));
  } else append(widget, container);
}

function append(widget: AvatarWidgetElement, container: string | Element | undefined): void {
  const found = typeof container === "string" ? find(container) : container;
  if (container !== undefined && !found) console.warn("[avatar-widget] The container is not in the page.");
  (found ?? document.body).append(widget);
}

function find(selector: string): Element | null {
  try {
    return document.querySelector(selector);
  } catch {
    return null;
  }
}
