"use client";
// The element as a React component.
import { createElement, type HTMLAttributes, type ReactElement, useEffect, useRef } from "react";
import { attributeOf } from "../../shared/widget-options.ts";
import type { AvatarWidgetElement, WidgetEventMap, WidgetInit } from "./index.ts";

export interface AvatarWidgetProps extends WidgetInit {
  /** Gives the element its size. */
  className?: string;
  id?: string;
  onReady?(): void;
  onLive?(detail: WidgetEventMap["live"]): void;
  onSpeaking?(detail: WidgetEventMap["speaking"]): void;
  onCaption?(detail: WidgetEventMap["caption"]): void;
  onEnded?(detail: WidgetEventMap["ended"]): void;
  onError?(detail: WidgetEventMap["error"]): void;
  /** Receives the element, for its methods; null when it leaves. */
  onElement?(element: AvatarWidgetElement | null): void;
}

const EVENTS = ["ready", "live", "speaking", "caption", "ended", "error"] as const;

/** An inline face, unless `form` says otherwise. A change of an option begins a new conversation; of the theme, not. */
export function AvatarWidget(props: AvatarWidgetProps): ReactElement {
  const { className, id, getToken, container, onElement, ...rest } = props;
  const { onReady, onLive, onSpeaking, onCaption, onEnded, onError, ...options } = rest;
  const element = useRef<AvatarWidgetElement | null>(null);
  const listeners = useRef<Partial<Record<string, (detail: never) => void>>>({});
  listeners.current = {
    ready: onReady,
    live: onLive,
    speaking: onSpeaking,
    caption: onCaption,
    ended: onEnded,
    error: onError,
  };
  useEffect(() => {
    const widget = element.current;
    if (!widget) return;
    const tell = (event: Event) => listeners.current[event.type]?.((event as CustomEvent).detail as never);
    for (const type of EVENTS) widget.addEventListener(type, tell);
    onElement?.(widget);
    return () => {
      for (const type of EVENTS) widget.removeEventListener(type, tell);
      onElement?.(null);
    };
  }, [onElement]);
  const attributes = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [[attributeOf(name), Array.isArray(value) ? value.join("|") : String(value)]],
  );
  return createElement("avatar-widget", {
    ...(Object.fromEntries(attributes) as HTMLAttributes<AvatarWidgetElement>),
    id,
    class: className,
    // Set before the element opens by itself.
    ref: (made: AvatarWidgetElement | null) => {
      element.current = made;
      if (made) made.getToken = getToken ?? null;
    },
  });
}
