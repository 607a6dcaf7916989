/** The file of the lip-sync network: 8 bits a weight, for our executor, in Node as in a tab. */
export const LIP_SYNC_WEIGHTS = new URL("../../models/lip-sync/lip-sync.8bit.bin", import.meta.url);
