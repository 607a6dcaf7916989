// The weights of lip sync, where a page has their bytes because its policy lets it load nothing.

let given: Uint8Array | undefined;

/** Faces that are opened from now on use these bytes of `lip-sync.8bit.bin`, not the file beside the script. */
export function giveLipSyncWeights(weights: Uint8Array): void {
  given = weights;
}

/** Undefined where the worker loads the file. */
export function givenLipSyncWeights(): Uint8Array | undefined {
  return given;
}
