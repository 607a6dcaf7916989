// The example makes a film from a portrait, and says what is wrong with a picture.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ExampleCheck, expect } from "./example-check.ts";

const FILES = new URL("../../../", import.meta.url);
const fileOf = (path: string) => fileURLToPath(new URL(path, FILES));

export const checkPhotographToFilm: ExampleCheck = {
  example: "photograph-to-film",
  async check({ project, report }) {
    const [portrait, speech] = [fileOf("models/gallery/amara.png"), fileOf("test/fixtures/speech/weather-en.wav")];
    const { stdout } = await project.run("node", ["film.js", portrait, speech, "film.mp4"]);
    report(stdout.trim());
    const film = await readFile(join(project.folder, "film.mp4"));
    expect(film.toString("latin1", 4, 8) === "ftyp", "the film is no MP4");
    const refusal = await project.run("node", ["film.js", speech, speech]).then(
      () => "nothing",
      (error: Error) => error.message,
    );
    expect(/not a JPEG, PNG/.test(refusal), `a recording in the place of the picture: ${refusal}`);
  },
};
