// The weights of lip sync, from the page's own origin.
import { LIP_SYNC_WEIGHTS } from "../../lip-sync-weights.ts";
import { fetchBytes } from "./fetch-bytes.ts";

let loading: Promise<Uint8Array> | undefined;

/** Fetches the weights, once for a page; a failure is not kept. Rejects with Error. */
export function fetchLipSyncWeights(): Promise<Uint8Array> {
  loading ??= fetchBytes(LIP_SYNC_WEIGHTS).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
