// Keeps the focus in the page. What had it may be gone once its action is done, or was disabled meanwhile: a keyboard
// would begin at the top of the page again, and a screen reader, too.
import { type RefObject, useEffect } from "react";

/** A focus that is lost goes back to what had it, or to `view` if that is gone. */
export function useKeptFocus(view: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: HTMLElement | null = null;
    let isLooking = false;
    const isLost = () => last !== null && (document.activeElement ?? document.body) === document.body;
    const look = () => {
      isLooking = false;
      if (last === null || !isLost()) return;
      if (!last.isConnected) view.current?.focus({ preventScroll: true });
      else if (!last.matches(":disabled")) last.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (isLooking || !isLost()) return;
      isLooking = true;
      // Dialogs give the focus back in the next frame.
      requestAnimationFrame(() => requestAnimationFrame(look));
    });
    const keep = ({ target }: FocusEvent) => {
      last = target instanceof HTMLElement ? target : null;
    };
    const forget = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget !== null) return;
      // Some browsers tell of it before the element is gone.
      queueMicrotask(() => {
        // The person has left it, for nothing else.
        if (last === target && last?.isConnected && !last.matches(":disabled")) last = null;
      });
    };
    document.addEventListener("focusin", keep);
    document.addEventListener("focusout", forget);
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["disabled"] });
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", keep);
      document.removeEventListener("focusout", forget);
    };
  }, [view]);
}
