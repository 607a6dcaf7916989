// Whether media can reach the browser at all.

/** Whether the browser sends no media to the LiveKit server at this address: Firefox sends none to loopback. Throws
 *  TypeError if it is no URL. */
export function sendsNoMedia(livekitUrl: string, userAgent: string): boolean {
  const { hostname } = new URL(livekitUrl);
  const isLoopback = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  return isLoopback && /\bFirefox\//.test(userAgent);
}
