// The weights of lip sync, from the page's own origin.
import { fetchBytes } from "./fetch-bytes.ts";

const WEIGHTS = new URL("../../../../models/lip-sync/lip-sync.8bit.bin", import.meta.url);

let loading: Promise<Uint8Array> | undefined;

/** Fetches the weights, once for a page; a failure is not kept. Rejects with Error. */
export function fetchLipSyncWeights(): Promise<Uint8Array> {
  loading ??= fetchBytes(WEIGHTS).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
