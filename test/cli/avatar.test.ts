import { spawn } from "node:child_process";
import { copyFile, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { renderShape } from "../../cli/commands/bundle/render-shape.ts";
import { FACE_PARAMETER_COUNT, FACE_PARAMETERS } from "../../shared/face-parameters.ts";
import { writeWav } from "../../src/signal/audio/wav.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { encodePng } from "../../src/signal/image/encode-image.ts";
import { createRgbImage } from "../../src/signal/image/raster.ts";
import { VISEMES } from "../../src/speech/visemes/visemes.ts";
import { probeFilm } from "../helpers/files/probe-film.ts";
import { checkShape } from "../helpers/service/check-shape.ts";
import { readCommand } from "../helpers/service/read-command.ts";
import { withAvatarCommand } from "../helpers/service/with-avatar-command.ts";
import { BILABIAL_SENTENCES, speakSentences } from "../helpers/speech/spoken.ts";
import { waitFor } from "../helpers/wait-for.ts";

const AVATAR = fileURLToPath(new URL("../../cli/avatar.mjs", import.meta.url));
const ASTRONAUT = fileURLToPath(new URL("../fixtures/portraits/astronaut.png", import.meta.url));

const folder = t.testdir();
const bundle = join(folder, "astronaut.imx");
const speech = join(folder, "speech.wav");
const [sentence] = await speakSentences([BILABIAL_SENTENCES[1]], ["F1"]);
await writeFile(speech, writeWav(sentence));

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command as a user would; `whileRunning` gets the process. */
async function run(
  words: string[],
  whileRunning?: (child: ReturnType<typeof spawn>) => Promise<void>,
): Promise<Outcome> {
  const child = spawn(process.execPath, [AVATAR, ...words], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const outcome: Outcome = { code: null, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    outcome.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    outcome.stderr += text;
  });
  const closed = new Promise<void>((resolve) => {
    child.once("close", (code) => {
      outcome.code = code;
      resolve();
    });
  });
  await whileRunning?.(child);
  await closed;
  checkShape(words, outcome);
  return outcome;
}

t.test(
  "a portrait is baked to a bundle, and the bundle renders a video that lasts as long as the speech",
  async (t) => {
    const baked = await run(["bake", ASTRONAUT, "--json"]);
    t.equal(baked.code, 0, baked.stderr);
    const made = JSON.parse(baked.stdout);
    t.match(made, { schema_version: 1, output: "astronaut.imx", family: "essence-2", width: 512, height: 512 });
    t.equal((await stat(bundle)).size, made.bytes);

    const inspected = await run(["inspect", bundle, "--json"]);
    t.match(JSON.parse(inspected.stdout), {
      schema_version: 1,
      format_version: 5,
      manifest: { family: "essence-2" },
      rig: { operators: { GridSample: /^[1-9]/ } },
    });
    t.match((await run(["open", bundle])).stdout, /rig\.onnx/, "open is another word for it, and people get a table");

    const output = join(folder, "film.mp4");
    const rendered = await run(["render", bundle, speech, "-o", output, "--json"]);
    t.equal(rendered.code, 0, rendered.stderr);
    const report = JSON.parse(rendered.stdout);
    const frames = Math.ceil((sentence.samples.length / sentence.sampleRateHz) * 25);
    readCommand(renderShape, rendered.stdout);
    t.match(report, { schema_version: 1, output, frames, fps: 25, width: 512, height: 512 });
    t.equal(report.bytes, (await stat(output)).size);
    const film = await probeFilm(output);
    t.equal(film.frames.length, frames);
    // The mouth of this portrait in the film: it must move far more than the forehead does.
    const change = (left: number, top: number, sizePx: number) => {
      let sum = 0;
      for (let k = 1; k < film.frames.length; k++) {
        for (let y = top; y < top + sizePx; y++) {
          for (let x = left; x < left + sizePx; x++) {
            sum += Math.abs(film.frames[k].luma[y * 512 + x] - film.frames[k - 1].luma[y * 512 + x]);
          }
        }
      }
      return sum / (film.frames.length - 1) / sizePx ** 2;
    };
    t.ok(change(225, 270, 60) > 2 * change(0, 452, 60), "the mouth moves, the corner of the frame does not");
  },
);

t.test(
  "--limit counts frames, the film is written to the current folder under the name of the audio file, and its path is all that is printed",
  async (t) => {
    const { code, stdout, stderr } = await run(["render", bundle, speech, "--limit", "13"]);
    t.equal(code, 0);
    t.equal(stdout, "speech.mp4\n");
    t.equal(stderr, "", "no progress and no notes outside of a terminal");
    t.equal((await probeFilm(join(folder, "speech.mp4"))).frames.length, 13);
  },
);

t.test("gallery-sheet shows every image of a folder, and says why one is refused", async (t) => {
  const gallery = t.testdir({ "blank.png": await encodePng(createRgbImage(64, 64)), "notes.txt": "not an image" });
  await copyFile(ASTRONAUT, join(gallery, "astronaut.png"));
  const wall = join(folder, "wall.png");
  const { code, stdout } = await run([
    "gallery-sheet",
    gallery,
    "-o",
    wall,
    "--cell",
    "64",
    "--columns",
    "1",
    "--json",
  ]);
  t.equal(code, 0);
  const { pictures } = JSON.parse(stdout);
  t.match(pictures, [
    { name: "astronaut", regionPx: 384, notes: [] },
    { name: "blank", regionPx: null, notes: [/No face was found/] },
  ]);
  const image = await decodeImage(await readFile(wall));
  t.equal(image.widthPx, 8 * 64, "the canvas and seven poses");
  const moods = t.testdir({});
  await copyFile(bundle, join(moods, "astronaut.imx"));
  t.equal((await run(["gallery-sheet", moods, "-o", wall, "--cell", "64", "--expressions"])).code, 0);
  t.equal((await decodeImage(await readFile(wall))).widthPx, 9 * 64, "the canvas and eight expressions");
  t.match(await run(["gallery-sheet", join(gallery, "missing"), "-o", wall]), { code: 66, stderr: /not a folder/ });
  t.match(await run(["gallery-sheet", gallery, "-o", wall, "--cell", "0"]), { code: 2, stderr: /--cell/ });
});

t.test("sheet shows all poses, and compares them with an earlier sheet", async (t) => {
  const output = join(folder, "sheet.png");
  const drawn = await run(["sheet", bundle, "-o", output, "--no-film", "--json"]);
  t.equal(drawn.code, 0, drawn.stderr);
  t.match(JSON.parse(drawn.stdout), { output, film: null, changes: null });
  const again = ["sheet", bundle, "-o", join(folder, "again.png"), "--no-film", "--compare", output];
  t.match(await run(again), { code: 0, stdout: /no pose differs/ });
});

t.test("gesture-sheet shows a gesture over time, and how fast it is", async (t) => {
  const output = join(folder, "gesture.png");
  const shown = ["gesture-sheet", bundle, bundle, "-o", output, "--frames", "4", "--cell", "64"];
  const { code, stdout, stderr } = await run([...shown, "--gesture", "nod", "--seconds", "3", "--json"]);
  t.equal(code, 0, stderr);
  t.match(JSON.parse(stdout), { output, faces: [{ name: "astronaut", largestSteps: { pitch: Number } }, {}] });
  t.equal((await decodeImage(await readFile(output))).widthPx, 4 * 64);
  t.match(await run([...shown, "--gesture", "nod", "--seconds", "11"]), { code: 2, stderr: /--seconds/ });
  t.match(await run([...shown, "--gesture", "fly"]), { code: 2, stderr: /mini_wave_hello/ });
});

t.test("Ctrl-C while rendering exits with 130 and leaves no files", async (t) => {
  const long = join(folder, "long.wav");
  const repeated = Int16Array.from(
    { length: sentence.sampleRateHz * 120 },
    (_, i) => sentence.samples[i % sentence.samples.length],
  );
  await writeFile(long, writeWav({ samples: repeated, sampleRateHz: sentence.sampleRateHz }));
  const before = (await readdir(folder)).sort();
  const outcome = await run(["render", bundle, long, "-o", join(folder, "never.mp4"), "--json"], async (child) => {
    await waitFor(async () => (await readdir(folder)).includes("never.mp4.partial"), "the film has begun", 120_000);
    child.kill("SIGINT");
  });
  t.equal(outcome.code, 130);
  t.match(JSON.parse(outcome.stderr), { error: { kind: "interrupted", command: "render" } });
  t.same((await readdir(folder)).sort(), before);
});

t.test("Ctrl-C while baking exits with 130 and leaves no files", { skip: process.platform !== "linux" }, async (t) => {
  const before = (await readdir(folder)).sort();
  const outcome = await run(["bake", ASTRONAUT, "-o", "never.imx", "--json"], async (child) => {
    await waitFor(() => catchesHangup(child.pid), "the work has begun", 120_000);
    child.kill("SIGINT");
  });
  t.equal(outcome.code, 130, outcome.stderr);
  t.match(JSON.parse(outcome.stderr), { error: { kind: "interrupted", command: "bake" } });
  t.same((await readdir(folder)).sort(), before);
});

/** Whether the process listens for SIGHUP, which commands do while they have something to tidy up. */
async function catchesHangup(pid: number | undefined): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const caught = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  return (caught & 1n) !== 0n;
}

t.test("hear prints one JSON line for each file and nothing else", async (t) => {
  const { code, stdout, stderr } = await run(["hear", "speech.wav", speech, "--json"]);
  t.equal(code, 0, stderr);
  const lines = stdout.trimEnd().split("\n");
  t.equal(lines.length, 2);
  const heard = lines.map((line) => JSON.parse(line));
  t.same(
    heard.map(({ file }) => file),
    ["speech.wav", speech],
    "files as they were given",
  );
  t.same({ ...heard[0], file: "" }, { ...heard[1], file: "" }, "one file leaves no trace in the next");
  const { fps, visemes, closed, names, parameters } = heard[0];
  const frames = Math.ceil((sentence.samples.length / sentence.sampleRateHz) * 25);
  t.equal(fps, 25);
  t.same([visemes.length, closed.length, parameters.length], [frames, frames, frames]);
  t.same(names, FACE_PARAMETERS);
  t.ok(visemes.every((viseme: string) => (VISEMES as readonly string[]).includes(viseme)));
  t.ok(closed.every((value: number) => value >= 0 && value <= 1));
  t.ok(parameters.every((row: number[]) => row.length === FACE_PARAMETER_COUNT && row.every(Number.isFinite)));
  t.ok(closed.some((value: number) => value > 0.5) && closed.some((value: number) => value < 0.5));
});

t.test("failures set an exit code and print a readable message", async (t) => {
  await writeFile(join(folder, "words.txt"), "neither a face nor audio");
  await writeFile(join(folder, "broken.imx"), (await readFile(bundle)).subarray(0, 5000));
  const cases: [string[], number, object][] = [
    [["hear", "missing.wav", "--json"], 66, { code: "NOT_FOUND", kind: "no_input", command: "hear" }],
    [["render", "missing.png", speech, "--json"], 66, { kind: "no_input", message: /no such file/ }],
    [["render", bundle, "missing.wav", "--json"], 66, { kind: "no_input", command: "render" }],
    [["render", bundle, speech, "-o", "nowhere/film.mp4", "--json"], 2, { kind: "usage", message: /folder nowhere/ }],
    [["render", bundle, speech, "--limit", "0", "--json"], 2, { kind: "usage", message: /--limit/ }],
    [["render", bundle, speech, "--limit", "0.5", "--json"], 2, { kind: "usage", message: /whole number/ }],
    [["render", "words.txt", speech, "--json"], 1, { code: "UNSUPPORTED_TYPE" }],
    [["render", bundle, "words.txt", "-o", "never.mp4", "--json"], 1, { code: "VALIDATION_ERROR" }],
    [["bake", "words.txt", "-o", "x.imx", "--json"], 1, { code: "UNSUPPORTED_TYPE", kind: "generic" }],
    [["bake", ASTRONAUT, "--family", "essence-9", "-o", "x.imx", "--json"], 2, { kind: "usage", message: /essence-9/ }],
    [["inspect", "broken.imx", "--json"], 1, { code: "VALIDATION_ERROR" }],
    [["hear", "words.txt", "--json"], 1, { code: "VALIDATION_ERROR" }],
    [["bake", "--json"], 2, { kind: "usage", message: /Missing required argument 'portrait'/ }],
    [["frobnicate", "--json"], 2, { kind: "usage", message: /Unknown command/ }],
  ];
  await withAvatarCommand(folder, async (command) => {
    for (const [words, exitCode, error] of cases) {
      const { code, stdout, stderr } = await command(words);
      t.equal(code, exitCode, words.join(" "));
      t.match(JSON.parse(stderr), { error }, words.join(" "));
      t.equal(stdout, "", "nothing on standard output");
    }
    const spoken = await command(["hear", "missing.wav"]);
    t.match(spoken.stderr, /^avatar hear: missing\.wav cannot be opened\.\n$/, "without --json it is a sentence");
  });
});
