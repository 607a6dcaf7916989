// How loud the visitor's microphone is.

const EVERY_MS = 50;
/** Loudness that fills the meter, as a root mean square of samples. */
const FULL = 0.2;

/** Calls `onLevel` with 0 to 1 until the returned function is called. */
export function followLevel(stream: MediaStream, onLevel: (level: number) => void): () => void {
  const audio = new AudioContext();
  const analyser = new AnalyserNode(audio, { fftSize: 1024 });
  audio.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
    onLevel(Math.min(1, Math.sqrt(power) / FULL));
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    void audio.close();
    onLevel(0);
  };
}
