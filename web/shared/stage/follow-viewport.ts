/** Below this visible height, in CSS pixels, a page leaves out what is not needed to talk: a keyboard is open, or the
 *  window is low. */
const LOW_PX = 520;

/** Keeps the document's `--visible-height` at the height that an on-screen keyboard leaves, and its attribute
 *  `data-low` while that is little. Some browsers shrink the page for the keyboard; others leave it and scroll it. */
export function followViewport(): void {
  const viewport = window.visualViewport;
  if (!viewport) return;
  const root = document.documentElement;
  const update = () => {
    // A page that is zoomed in with two fingers stays as it is.
    const height = viewport.scale > 1.01 ? window.innerHeight : viewport.height;
    root.style.setProperty("--visible-height", `${height}px`);
    root.toggleAttribute("data-low", height < LOW_PX);
    if (height < window.innerHeight) window.scrollTo(0, 0);
  };
  viewport.addEventListener("resize", update);
  update();
}
