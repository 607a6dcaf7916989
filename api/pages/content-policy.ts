// The Content-Security-Policy of pages.

/** Allows only files of this service without inline code, and connections to this service and the LiveKit server. */
export function contentPolicy(options: {
  connect: readonly string[];
  frameAncestors: string;
  /** Lets the page bake and render faces: compile WebAssembly (but not evaluate scripts), start workers, and show
   *  pictures that were chosen or made in it. */
  makesFaces?: boolean;
  /** Lets the page show pages of this service in frames. */
  showsPages?: boolean;
}): string {
  return [
    "default-src 'none'",
    `script-src 'self'${options.makesFaces ? " 'wasm-unsafe-eval'" : ""}`,
    ...(options.makesFaces ? ["worker-src 'self'"] : []),
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' data:${options.makesFaces ? " blob:" : ""}`,
    ...(options.showsPages ? ["frame-src 'self'"] : []),
    "media-src 'self' blob: mediastream:",
    `connect-src ${["'self'", ...options.connect].join(" ")}`,
    `frame-ancestors ${options.frameAncestors}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
