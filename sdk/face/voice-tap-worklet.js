// Runs on the browser's audio thread: passes a voice on in pieces of 10 ms, straight to the worker of the face. Plain JavaScript, because it is loaded as it is.
class VoiceTap extends AudioWorkletProcessor {
  #pieceSamples = Math.round(sampleRate / 100);
  #piece = new Float32Array(this.#pieceSamples);
  #filled = 0;
  #atSample = 0;
  #target;
  #isOver = false;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => {
      if (data) this.#target = data;
      else this.#isOver = true;
    };
  }

  process([[samples]]) {
    if (this.#isOver) return false;
    // Without samples the track has ended, or has not begun.
    if (!samples || currentFrame !== this.#atSample + this.#filled) this.#filled = 0;
    for (let i = 0; i < (samples?.length ?? 0); i++) {
      if (this.#filled === 0) this.#atSample = currentFrame + i;
      this.#piece[this.#filled++] = samples[i];
      if (this.#filled < this.#pieceSamples) continue;
      this.#target?.postMessage({ samples: this.#piece, atSample: this.#atSample }, [this.#piece.buffer]);
      this.#piece = new Float32Array(this.#pieceSamples);
      this.#atSample += this.#filled;
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor("voice-tap", VoiceTap);
