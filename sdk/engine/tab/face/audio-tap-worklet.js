// Runs on the browser's audio thread: passes on what it hears in pieces of 20 ms. Plain JavaScript, because it is loaded as it is.
const PIECE_SAMPLES = 960;

class AudioTap extends AudioWorkletProcessor {
  #piece = new Float32Array(PIECE_SAMPLES);
  #filled = 0;

  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.#piece[this.#filled++] = sample;
      if (this.#filled < PIECE_SAMPLES) continue;
      this.port.postMessage(this.#piece, [this.#piece.buffer]);
      this.#piece = new Float32Array(PIECE_SAMPLES);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor("audio-tap", AudioTap);
