// A face that a person placed: thirty marks as the REST call has them, or all points.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { readPlacedFace } from "../../../../cli/commands/bundle/placed-face.ts";
import { marksOfMesh } from "../../../../src/face/portrait/face-marks.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";

const IMAGE = { widthPx: 768, heightPx: 768 };
const LOWER_LIP = 17;

t.test("a placed face is read from points, named marks, or a body or answer of the REST API", async (t) => {
  const folder = await makeDataFolder(t);
  const points: number[][] = JSON.parse(await readFile("models/gallery/maya.points.json", "utf8"));
  const marks = marksOfMesh(Float32Array.from(points.flat()));
  const forms: [string, unknown][] = [
    ["points", points],
    ["marks", marks],
    ["body", { marks }],
    ["answer", { success: true, data: { marks } }],
  ];
  for (const [name, json] of forms) {
    const path = join(folder, `${name}.json`);
    await writeFile(path, JSON.stringify(json));
    const mesh = (await readPlacedFace(path))(IMAGE);
    t.equal(mesh.length, 3 * 478, name);
    t.ok(
      Math.abs(mesh[3 * LOWER_LIP + 1] - points[LOWER_LIP][1]) < 0.5,
      `${name}: the lower lip is where it was placed`,
    );
  }

  const { chin, ...withoutChin } = marks;
  const refused: [string, string, RegExp][] = [
    ["no-json", "{", /neither 478 points \[x, y, z\] nor thirty marks/],
    ["few-points", JSON.stringify(points.slice(1)), /neither 478 points/],
    ["no-chin", JSON.stringify(withoutChin), /nor thirty marks/],
    [
      "upside-down",
      JSON.stringify({ ...withoutChin, chin: { ...chin, y: 2 } }),
      /do not form a face: .*chin should lie below/,
    ],
    ["elsewhere", JSON.stringify({ ...withoutChin, chin: { x: 384, y: 900 } }), /outside the image: chin/],
  ];
  for (const [name, text, message] of refused) {
    const path = join(folder, `${name}.json`);
    await writeFile(path, text);
    const placed = readPlacedFace(path).then((face) => face(IMAGE));
    await t.rejects(placed, { kind: "usage", message }, name);
  }
  const incomplete = await readPlacedFace(join(folder, "no-chin.json")).catch((error) => error);
  t.match(incomplete.hint, /for chin\.$/, "what is missing is named");
  await t.rejects(readPlacedFace(join(folder, "none.json")), { kind: "no_input", message: /no such file/ });
});
