// Files that the worker loads by their address.
import { EngineError } from "../../../../shared/engine-error.ts";

/** Throws EngineError(upstream-unavailable). */
export async function fetchFile(address: string): Promise<Uint8Array<ArrayBuffer>> {
  const name = address.startsWith("data:") ? "A file of the package" : address.replace(/[?#].*$/s, "").slice(0, 200);
  let response: Response;
  try {
    response = await fetch(address);
  } catch (cause) {
    throw new EngineError("upstream-unavailable", `${name} cannot be loaded.`, { cause });
  }
  if (!response.ok) throw new EngineError("upstream-unavailable", `${name} answered ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}
