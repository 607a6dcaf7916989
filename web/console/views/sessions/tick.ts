// What counts by the second is written straight into its node, by one timer for all: a list of two hundred sessions is
// not rendered again each second.
import { type RefObject, useLayoutEffect, useRef } from "react";

const TICK_MS = 1_000;

interface Counted {
  node: HTMLElement;
  write(nowMs: number): string;
}

const counted = new Set<Counted>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  // It stands still in a hidden tab, and is right again a second after it is shown.
  if (document.hidden) return;
  const nowMs = Date.now();
  for (const one of counted) show(one, nowMs);
}

function show({ node, write }: Counted, nowMs: number): void {
  const text = write(nowMs);
  if (node.textContent !== text) node.textContent = text;
}

/** For an element without children of its own: holds what `write` returns at the time (ms since the epoch), anew each
 *  second. `write` null: the element is left alone. */
export function useTick<Node extends HTMLElement>(write: ((nowMs: number) => string) | null): RefObject<Node | null> {
  const node = useRef<Node>(null);
  useLayoutEffect(() => {
    if (write === null || node.current === null) return;
    const one = { node: node.current, write };
    show(one, Date.now());
    counted.add(one);
    timer ??= setInterval(tick, TICK_MS);
    return () => {
      counted.delete(one);
      if (counted.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, [write]);
  return node;
}
