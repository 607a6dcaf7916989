// Files that a page loads from the service.

/** Bytes of a file. Rejects with Error if it cannot be reached or the service refuses it. */
export async function fetchBytes(url: URL | string): Promise<Uint8Array> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${new URL(url, location.href).pathname} answered ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
