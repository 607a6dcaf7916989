// From a photograph and a recording to a film of the person who says it.
import { bake, EngineError, open } from "@open-avatar/engine";

const [portrait, speech, film = "film.mp4"] = process.argv.slice(2);
if (!portrait || !speech) {
  console.error("npm start -- portrait.jpg speech.wav [film.mp4]");
  process.exit(2);
}
// Ctrl-C leaves no half of a film behind.
const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort(new Error("Stopped.")));
const { signal } = stopping;

try {
  const imx = await bake(portrait, { signal, onNote: (note) => console.log(note) });
  const avatar = await open(imx, { signal });
  const frames = await avatar.render(speech, { signal }).toFile(film);
  await avatar.close();
  console.log(`${film}: ${frames / 25} seconds`);
} catch (error) {
  if (!(error instanceof EngineError) && !signal.aborted) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
