// What a page needs so that other sites can show it in a frame, or load its files.

/** A site that isolates itself (`Cross-Origin-Embedder-Policy: require-corp`) shows only frames that do the same, and
 *  that say that other sites may load them. So must the scripts of workers in those frames. */
export const FRAMED_HEADERS = Object.freeze({
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "cross-origin",
});
