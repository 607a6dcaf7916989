// Listens to the embed page as a visitor's ear does.

/** A script for the embed page: keeps the loudest sample of its avatar, 0..1, in `window.loudest`. Browsers run it only
 *  after a click. */
export const KEEP_LOUDEST_SAMPLE = `(() => {
  const context = new AudioContext();
  const analyser = context.createAnalyser();
  context.createMediaStreamSource(document.getElementById("audio").srcObject).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  window.loudest = 0;
  setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    for (const sample of samples) window.loudest = Math.max(window.loudest, Math.abs(sample));
  }, 30);
})()`;
