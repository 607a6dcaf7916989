// Finds the colour of a picture's ground.
import t from "tap";
import {
  chromaOf,
  distanceScale,
  type Rgb,
  readColour,
  sampleGround,
  strengthOf,
} from "../../../../web/embed/transparency/key-colour.ts";

const SIZE_PX = 32;
const GREEN: Rgb = [30, 170, 60];
const SKIN: Rgb = [210, 160, 135];
const HAIR: Rgb = [40, 28, 20];

/** The ground of a picture with the pixels that `colourAt` gives. */
function groundOf(colourAt: (x: number, y: number) => Rgb) {
  const pixels = new Uint8ClampedArray(4 * SIZE_PX * SIZE_PX);
  for (let index = 0; index < SIZE_PX * SIZE_PX; index++) {
    pixels.set([...colourAt(index % SIZE_PX, Math.floor(index / SIZE_PX)), 255], 4 * index);
  }
  return sampleGround(pixels, SIZE_PX, SIZE_PX);
}

const distance = (one: Rgb, key: Rgb) => {
  const [first, second] = [chromaOf(one), chromaOf(key)];
  return distanceScale(second) * Math.hypot(first[0] - second[0], first[1] - second[1]);
};

t.test("the ground's colour is found behind a head, uneven light and shoulders", async (t) => {
  t.same(
    groundOf(() => GREEN),
    GREEN,
  );
  const portrait = (x: number, y: number): Rgb => {
    if (y > 20) return HAIR;
    return Math.hypot(x - 16, y - 12) < 13 ? (y < 10 ? HAIR : SKIN) : GREEN;
  };
  t.same(groundOf(portrait), GREEN, "hair that reaches the upper edge");
  const uneven = groundOf((x, y) => [20 + x / 2, 150 + x + y / 2, 50 + x / 2]);
  t.ok(uneven && distance(uneven, GREEN) < 0.1, String(uneven));
  t.ok(
    groundOf(() => [20, 60, 200]),
    "blue grounds count as well",
  );
});

t.test("grounds without a colour or with several are not found", async (t) => {
  for (const grey of [0, 128, 255]) {
    t.equal(
      groundOf(() => [grey, grey, grey]),
      undefined,
    );
  }
  t.equal(
    groundOf((x) => (x < 16 ? GREEN : [200, 30, 40])),
    undefined,
    "two colours",
  );
  t.equal(
    groundOf((x, y) => [(x * 37) % 256, (y * 91) % 256, (x * y * 13) % 256]),
    undefined,
    "a garden",
  );
  t.equal(sampleGround(new Uint8ClampedArray(), 0, 0), undefined);
});

t.test("grey is 0.5 away from every key colour, skin further, and shadows on the ground nearer", async (t) => {
  for (const key of [GREEN, [0, 255, 0], [20, 60, 200]] as Rgb[]) {
    t.ok(Math.abs(distance([90, 90, 90], key) - 0.5) < 1e-6);
    t.equal(distance(key, key), 0);
    const shadow = key.map((channel) => 0.7 * channel) as unknown as Rgb;
    t.ok(distance(shadow, key) < 0.2);
  }
  t.ok(distance(SKIN, GREEN) > 0.5);
  t.ok(Number.isFinite(distanceScale(chromaOf([128, 128, 128]))), "a grey one can be named");
  t.ok(strengthOf(chromaOf([0, 255, 0])) > 0.5);
});

t.test("colours are read as #rrggbb, and nothing else is", async (t) => {
  t.same(readColour("#1eAa3C"), [30, 170, 60]);
  for (const text of ["", "green", "#fff", "#00ff00;", "rgb(0,0,0)"]) t.equal(readColour(text), undefined);
});
