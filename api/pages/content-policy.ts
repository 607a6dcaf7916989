// The Content-Security-Policy of pages.

/** Allows only files of this service without inline code, and connections to this service and the LiveKit server. */
export function contentPolicy(options: {
  connect: readonly string[];
  frameAncestors: string;
  /** Lets the page render faces: compile WebAssembly (but not evaluate scripts), and start workers of its origin. */
  rendersFaces?: boolean;
  /** Lets the page bake faces too: also show pictures that were chosen or made in it. */
  makesFaces?: boolean;
  /** Lets the page show pages of this service in frames. */
  showsPages?: boolean;
  /** Lets the page add styles that carry this random value. */
  styleNonce?: string;
}): string {
  const { makesFaces = false, rendersFaces = makesFaces } = options;
  return [
    "default-src 'none'",
    `script-src 'self'${rendersFaces ? " 'wasm-unsafe-eval'" : ""}`,
    ...(rendersFaces ? ["worker-src 'self'"] : []),
    `style-src 'self'${options.styleNonce === undefined ? "" : ` 'nonce-${options.styleNonce}'`}`,
    "font-src 'self'",
    `img-src 'self' data:${makesFaces ? " blob:" : ""}`,
    ...(options.showsPages ? ["frame-src 'self'"] : []),
    "media-src 'self' blob: mediastream:",
    `connect-src ${["'self'", ...options.connect].join(" ")}`,
    `frame-ancestors ${options.frameAncestors}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
