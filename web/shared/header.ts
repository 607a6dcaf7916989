// The header of pages that may stand in a frame of another page: it is there only where the page has the window for
// itself. Before this has run there is none, so that a frame never shows one.
const header = document.querySelector<HTMLElement>(".site-header");
if (header) header.hidden = window.parent !== window;
