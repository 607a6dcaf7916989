/** Calls `onChange` with whether anybody can see an element: it is in the viewport of a tab that shows. Returns what
 *  ends it. */
export function watchVisible(element: Element, onChange: (isVisible: boolean) => void): () => void {
  let isInside = false;
  let isVisible: boolean | undefined;
  const update = () => {
    const next = isInside && !document.hidden;
    if (next === isVisible) return;
    isVisible = next;
    onChange(next);
  };
  const observer = new IntersectionObserver((entries) => {
    isInside = entries.at(-1)?.isIntersecting ?? false;
    update();
  });
  observer.observe(element);
  document.addEventListener("visibilitychange", update);
  return () => {
    observer.disconnect();
    document.removeEventListener("visibilitychange", update);
  };
}
