// Defines `<avatar-widget>`, and exports what pages use.
import { defineElement } from "./init.ts";

defineElement();

export { AvatarWidgetElement } from "./avatar-widget-element.ts";
export { init } from "./init.ts";
export type { WidgetEventMap, WidgetInit } from "./widget-init.ts";
