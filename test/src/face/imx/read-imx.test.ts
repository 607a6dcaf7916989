import { createHash } from "node:crypto";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { EARLIER_PARAMETER_COUNT, FACE_PARAMETER_COUNT, FACE_PARAMETERS } from "../../../../shared/face-parameters.ts";
import { openImxFile, writeImxFile } from "../../../../src/face/imx/imx-file.ts";
import { IMX_HEADER_BYTES, type ImxMember } from "../../../../src/face/imx/member-table.ts";
import { PACKED, packMember } from "../../../../src/face/imx/packed-member.ts";
import { readImx } from "../../../../src/face/imx/read-imx.ts";
import { joinMembers, writeImx } from "../../../../src/face/imx/write-imx.ts";
import { decodeCanvas, layOutPlanes } from "../../../../src/face/rendering/canvas-png.ts";
import { encodePng } from "../../../../src/signal/image/encode-image.ts";
import { createI420Frame } from "../../../../src/signal/image/i420-frame.ts";
import type { GraphBuilder } from "../../../../src/signal/onnx/graph-builder.ts";
import { smallAvatar, smallRig } from "../../../helpers/faces/small-avatar.ts";

const avatar = await smallAvatar();
const file = await writeImx(avatar);
/** Of a gesture. */
const FRAME_BYTES = 4 * FACE_PARAMETER_COUNT;

/** Why a file is refused; undefined if it is not. Anything but an EngineError(bundle-invalid) fails the test. */
async function refusal(bytes: Uint8Array): Promise<string | undefined> {
  try {
    await readImx(bytes);
    return undefined;
  } catch (error) {
    if (isEngineError(error) && error.code === "bundle-invalid") return error.message;
    throw error;
  }
}

/** The most memory that this process has held so far. */
function peakBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}

/** The same numbers on every run. */
function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function membersOf(bytes: Uint8Array): { name: string; bytes: Uint8Array }[] {
  return tableOf(bytes).map(({ name, offset, size }) => ({ name, bytes: bytes.slice(offset, offset + size) }));
}

function tableOf(bytes: Uint8Array): ImxMember[] {
  const tableBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(8, true);
  return JSON.parse(new TextDecoder().decode(bytes.subarray(IMX_HEADER_BYTES, IMX_HEADER_BYTES + tableBytes)));
}

/** The file with another table and its right hash: what a forger would send. Offsets are moved along. */
function forgeTable(change: (table: ImxMember[]) => unknown): Uint8Array {
  const table = tableOf(file);
  const firstOffset = table[0].offset;
  const changed = change(table) ?? table;
  const encode = (shift: number): Uint8Array => {
    const rows = Array.isArray(changed)
      ? changed.map((row) => (typeof row?.offset === "number" ? { ...row, offset: row.offset + shift } : row))
      : changed;
    return new TextEncoder().encode(JSON.stringify(rows));
  };
  let shift = 0;
  for (let round = 0; round < 4; round++) shift = IMX_HEADER_BYTES + encode(shift).length - firstOffset;
  return forge(encode(shift), file.subarray(firstOffset));
}

function forge(table: Uint8Array, rest: Uint8Array): Uint8Array {
  const header = file.slice(0, IMX_HEADER_BYTES);
  new DataView(header.buffer).setUint32(8, table.length, true);
  header.set(createHash("sha256").update(table).digest(), 12);
  return Buffer.concat([header, table, rest]);
}

/** The file with one member replaced, hashes right. */
async function withMember(name: string, bytes: Uint8Array | undefined): Promise<Uint8Array> {
  const members = membersOf(file).filter((member) => member.name !== name && member.name !== name + PACKED);
  return joinMembers(bytes ? [...members, { name, bytes }] : members);
}

t.test("a written avatar is read back unchanged", async (t) => {
  const read = await readImx(file);
  t.same(read.manifest, avatar.manifest);
  t.same(Buffer.from(read.rig), Buffer.from(avatar.rig));
  t.same(Buffer.from(read.canvas), Buffer.from(avatar.canvas));
  t.same(Buffer.from(read.poster), Buffer.from(avatar.poster));
  t.same([...read.gestures], [...avatar.gestures]);
  t.same([...file.subarray(0, 6)], [0x49, 0x4d, 0x58, 0, 5, 0], "magic and version");
  t.same(
    tableOf(file).map(({ name }) => name),
    ["manifest.json", "poster.jpg", "canvas.png", "rig.onnx.gz", "gestures/nod.f32.gz"],
  );
});

t.test("a file of an earlier version is read: its gestures lack the parameters that came later", async (t) => {
  const parameters = FACE_PARAMETERS.slice(0, EARLIER_PARAMETER_COUNT);
  const rig = smallRig(undefined, EARLIER_PARAMETER_COUNT);
  const earlier = await writeImx({ ...avatar, manifest: { ...avatar.manifest, parameters }, rig });
  t.equal(earlier[4], 4, "it is written as the version that has its parameters");
  t.same(
    tableOf(earlier)
      .map(({ name, size }) => [name, size])
      .slice(3),
    [
      ["rig.onnx", rig.length],
      ["gestures/nod.f32", 2 * 4 * EARLIER_PARAMETER_COUNT],
    ],
  );
  const read = await readImx(earlier);
  const frame = [...parameters.map(() => 0.25), ...FACE_PARAMETERS.slice(EARLIER_PARAMETER_COUNT).map(() => 0)];
  t.same([...read.gestures.get("nod")!], [...frame, ...frame]);
  t.match(
    await refusal(await withMember("rig.onnx", rig)),
    /one float32 input of \[1,33\]/,
    "the graph fits the manifest",
  );
});

t.test("compressed members are unpacked up to a limit, and refused if they are damaged", async (t) => {
  const packed = await packMember(avatar.rig);
  const rest = membersOf(file).filter(({ name }) => !name.startsWith("rig.onnx"));
  const check = async (bytes: Uint8Array) => refusal(await joinMembers([...rest, { name: "rig.onnx.gz", bytes }]));
  t.equal(await check(packed), undefined);
  t.match(await check(packed.subarray(0, packed.length - 12)), /rig.onnx.gz cannot be unpacked/);
  t.match(await check(new Uint8Array(40)), /rig.onnx.gz cannot be unpacked/);
  // Made in pieces, so that the most memory so far is not that of what is unpacked.
  const megabyte = new Uint8Array(2 ** 20);
  const pieces = Readable.from(Array(600).fill(megabyte));
  const bomb = new Uint8Array(await buffer(pieces.pipe(createGzip({ level: 1 }))));
  const before = peakBytes();
  t.match(await check(bomb), /unpacks to more than 33554432 bytes/);
  t.ok(peakBytes() - before < 200e6, `what is too much is never made: ${peakBytes() - before} bytes more`);
});

t.test("a canvas is stored as planes, or as RGB in format version 3", async (t) => {
  const frame = createI420Frame(64, 64);
  frame.data.forEach((_, i) => {
    frame.data[i] = (i * 11) % 256;
  });
  const planes = await readImx(await writeImx({ ...avatar, canvas: await encodePng(layOutPlanes(frame)) }));
  t.same(
    Buffer.from((await decodeCanvas(planes.canvas)).data),
    Buffer.from(frame.data),
    "every byte of all three planes",
  );
  const old = file.slice();
  old[4] = 3;
  const { canvas } = await readImx(old);
  const rgb = await decodeCanvas(canvas);
  t.same([rgb.widthPx, rgb.heightPx, rgb.data.length], [64, 64, 6144]);
  const wrong = await encodePng({ data: new Uint8Array(64 * 64), widthPx: 64, heightPx: 64, channels: 1 });
  t.match(await refusal(await withMember("canvas.png", wrong)), /differs from the manifest/, "luma alone is no canvas");
});

t.test("a large bundle is written to disk and read back in pieces", async (t) => {
  const path = join(t.testdir(), "large.imx");
  const random = seededRandom(3);
  // 31 MB that are no poster to anybody but begin as one, and 20 MB of weights: nearly as much as a file may hold.
  const poster = new Uint8Array(31 * 2 ** 20);
  poster.set(avatar.poster);
  const rig = smallRig((b) =>
    b.constant(new Uint8Array(15 * 2 ** 20).fill(random(256)), [15, 2 ** 20], { storage: "uint8" }),
  );
  const large = { ...avatar, poster, rig };
  const before = peakBytes();
  const { bytes } = await writeImxFile(path, large);
  const written = peakBytes();
  t.ok(bytes > 31e6 && bytes === (await stat(path)).size, `${bytes} bytes`);
  // The file is never joined in memory: what comes on top is a copy of one member for its hash.
  t.ok(written - before < 60e6, `writing took ${Math.round((written - before) / 1e6)} MB more`);
  const opened = await openImxFile(path);
  t.equal((await opened.read("canvas.png")).length, avatar.canvas.length);
  t.ok(peakBytes() - written < 10e6, "one member is read alone");
  const all = await opened.readAll();
  await opened.close();
  t.equal(Buffer.compare(all.poster, poster), 0);
  await t.rejects(writeImxFile(join(path, "no-folder.imx"), avatar));
  const cut = AbortSignal.abort(new Error("enough"));
  await t.rejects(writeImxFile(join(t.testdir(), "cut.imx"), avatar, cut));
  t.same(await readdir(t.testdirName), []);
});

t.test("only requested members are read from disk, and verified", async (t) => {
  const path = join(t.testdir(), "a.imx");
  await writeFile(path, file);
  const opened = await openImxFile(path);
  t.same(opened.manifest, avatar.manifest);
  t.same(Buffer.from(await opened.read("poster.jpg")), Buffer.from(avatar.poster));
  await t.rejects(opened.read("nothing"), /nothing is missing/);
  await opened.close();
  await opened.close();
  const damaged = file.slice();
  damaged[damaged.length - 1] ^= 1;
  await writeFile(path, damaged);
  const other = await openImxFile(path);
  await t.rejects(other.read("gestures/nod.f32.gz"), /damaged/);
  await other.close();
  for (const bytes of [file.subarray(0, 20), file.subarray(0, 100), new Uint8Array(0)]) {
    await writeFile(path, bytes);
    await t.rejects(openImxFile(path), { code: "bundle-invalid" });
  }
});

t.test("unsupported versions are refused, and the message names the version", async (t) => {
  for (const [version, words] of [
    [1, /version 1, which is no longer read/],
    [2, /version 2, made for another engine/],
    [6, /version 6, newer than this version reads \(5\)/],
  ] as const) {
    const other = file.slice();
    other[4] = version;
    t.match(await refusal(other), words);
    t.match(await refusal(other.subarray(0, 10)), words, "even cut off");
  }
});

t.test("every truncation and every flipped bit is refused", async (t) => {
  const random = seededRandom(1);
  const started = process.memoryUsage().rss;
  let accepted = 0;
  for (let round = 0; round < 400; round++) {
    if ((await refusal(file.subarray(0, random(file.length)))) === undefined) accepted++;
    const flipped = file.slice();
    // Half of the flips hit header and table, where the sizes are.
    flipped[random(round % 2 ? 600 : file.length)] ^= 1 << random(8);
    if ((await refusal(flipped)) === undefined) accepted++;
  }
  t.equal(accepted, 0);
  t.match(await refusal(Buffer.concat([file, new Uint8Array(1)])), /members end/);
  t.ok(process.memoryUsage().rss - started < 150 * 2 ** 20, "without much memory");
});

t.test("a forged table with a correct hash is refused for its content", async (t) => {
  const forgeries: [RegExp, (table: ImxMember[]) => unknown][] = [
    [/occurs twice/, (table) => table.map((row, i) => (i === 1 ? { ...row, name: table[0].name } : row))],
    [/table is invalid/, (table) => table.map((row) => ({ ...row, name: `../${row.name}` }))],
    [/table is invalid/, (table) => table.map((row) => ({ ...row, name: `/etc/${row.name}` }))],
    [/table is invalid/, (table) => table.map((row) => ({ ...row, name: `${row.name}\\x` }))],
    [/does not begin at the end/, (table) => table.map((row) => ({ ...row, offset: table[0].offset }))],
    [
      /does not begin at the end/,
      (table) => table.map((row, i) => ({ ...row, offset: row.offset + (i === 2 ? 1 : 0) })),
    ],
    [/members end/, (table) => table.slice(0, -1)],
    [/declares 4294967295 bytes/, (table) => table.map((row) => ({ ...row, size: 2 ** 32 - 1 }))],
    [/table is invalid/, (table) => table.map((row) => ({ ...row, size: -1 }))],
    [/table is invalid/, (table) => table.map((row) => ({ ...row, size: 1e300 }))],
    [/SHA-256 differs/, (table) => table.map((row) => ({ ...row, sha256: "0".repeat(64) }))],
    [/table is invalid/, () => []],
    [/table is invalid/, () => ({ members: [] })],
    [/table is invalid/, (table) => Array.from({ length: 65 }, (_, i) => ({ ...table[0], name: `m${i}` }))],
  ];
  for (const [words, change] of forgeries) t.match(await refusal(forgeTable(change)), words);
  t.match(await refusal(forge(new TextEncoder().encode("{"), new Uint8Array(0))), /not valid JSON/);
  const long = file.slice();
  new DataView(long.buffer).setUint32(8, 2 ** 32 - 1, true);
  t.match(await refusal(long), /table declares 4294967295 bytes/);
  const huge = new Uint8Array(64 * 2 ** 20 + 1);
  huge.set(file);
  t.match(await refusal(huge), /limit is 67108864/);
});

t.test("members with content that does not match their name are refused", async (t) => {
  const text = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const { manifest } = avatar;
  for (const [words, name, bytes] of [
    [/rig.onnx is missing/, "rig.onnx", undefined],
    [/gestures\/nod.f32 is missing/, "gestures/nod.f32", undefined],
    [/gesture nod has 5 bytes/, "gestures/nod.f32", new Uint8Array(5)],
    [/gesture nod has \d+ bytes/, "gestures/nod.f32", new Uint8Array(FRAME_BYTES * 1501)],
    [/out of range/, "gestures/nod.f32", new Uint8Array(FRAME_BYTES).fill(0xff)],
    [/not a PNG/, "canvas.png", avatar.poster],
    [/not a JPEG/, "poster.jpg", avatar.canvas],
    [/damaged/, "rig.onnx", avatar.canvas],
    [/no ONNX graph/, "rig.onnx", new Uint8Array(0)],
    [/not valid JSON/, "manifest.json", new Uint8Array(3)],
    [/family/, "manifest.json", text({ ...manifest, family: "other" })],
    [/parameters/, "manifest.json", text({ ...manifest, parameters: ["jaw"] })],
    [/region leaves/, "manifest.json", text({ ...manifest, region: { x: 2, y: 0, sizePx: 64 } })],
    [/restPose/, "manifest.json", text({ ...manifest, restPose: { jaw: 1e9 } })],
    [/named twice/, "manifest.json", text({ ...manifest, gestures: ["nod", "nod"] })],
    [/size of canvas.png differs/, "manifest.json", text({ ...manifest, canvas: { widthPx: 128, heightPx: 64 } })],
  ] as const) {
    t.match(await refusal(await withMember(name, bytes)), words, `${name}: ${words}`);
  }
  t.equal(
    await refusal(await withMember("manifest.json", text({ ...manifest, later: true }))),
    undefined,
    "new fields pass",
  );
  t.equal(await refusal(await withMember("extra.bin", new Uint8Array(9))), undefined, "and new members");
  await t.rejects(writeImx({ ...avatar, canvas: avatar.poster }), /not a PNG/, "nor are they written");
});

/** The parameters as an image of 3 × 11. */
function square(builder: GraphBuilder): string {
  return builder.node("Reshape", ["params", builder.ints(1, 1, 3, 11)]);
}

t.test("a harmful rig graph is refused before it is loaded", async (t) => {
  const check = async (rig: Uint8Array): Promise<string | undefined> => refusal(await withMember("rig.onnx", rig));
  const hostile: [RegExp, (builder: GraphBuilder) => void][] = [
    [/operator "Loop"/, (b) => b.node("Loop", ["params"])],
    [/output size of a Expand in its rig graph is unknown/, (b) => b.node("Expand", ["params", "params"])],
    [/Expand .* \[100000,100000\], which is too large/, (b) => b.node("Expand", ["params", b.ints(100_000, 100_000)])],
    [/output size of a Resize in its rig graph is unknown/, (b) => b.node("Resize", ["params", "", "params"])],
    [/output size of a Slice in its rig graph is unknown/, (b) => b.node("Slice", ["params", "params", "params"])],
    [/output size of a Reshape in its rig graph is unknown/, (b) => b.node("Reshape", ["params", b.ints(1, -7)])],
    [
      /output size of a Resize in its rig graph is unknown/,
      (b) => b.node("Resize", [square(b), "", "", b.ints(1, 1, 64, 64)], { axes: [2, 3, 0, 1] }),
    ],
    [
      /output size of a Resize in its rig graph is unknown/,
      (b) => b.node("Resize", [square(b), "", "", b.ints(1, 1, 64, 64)], { keep_aspect_ratio_policy: "not_smaller" }),
    ],
    [
      /output size of a Resize in its rig graph is unknown/,
      (b) => b.node("Resize", [square(b), "", b.constant([1, 1, 9, 9], [4]), b.ints(1, 1, 64, 64)]),
    ],
    [
      /output size of a Resize in its rig graph is unknown/,
      (b) => b.node("Resize", [square(b), "", "", b.ints(64, 64)]),
    ],
    [
      /output size of a Slice in its rig graph is unknown/,
      (b) => b.node("Slice", ["params", b.ints(0), b.ints(1), b.node("Cast", ["params"], { to: 7 })]),
    ],
    [
      /output size of a Slice in its rig graph is unknown/,
      (b) => b.node("Slice", ["params", b.ints(0), b.ints(1), b.ints(1), b.node("Cast", ["params"], { to: 7 })]),
    ],
    [
      /output size of a Slice in its rig graph is unknown/,
      (b) => b.node("Slice", ["params", b.ints(0, 0), b.ints(1, FACE_PARAMETER_COUNT), b.ints(1, -1)]),
    ],
    [/output size of a Cast in its rig graph is unknown/, (b) => b.node("Cast", ["params"], { to: 8 })],
    [/output size of a Cast in its rig graph is unknown/, (b) => b.node("Cast", ["params"], { to: "1" })],
    [
      /output size of a Gather in its rig graph is unknown/,
      (b) => b.node("Gather", ["params", b.ints(0)], { axis: [1] }),
    ],
    [
      /output size of a Concat in its rig graph is unknown/,
      (b) => b.node("Concat", ["params"], { axis: { float: 1 } }),
    ],
    [/output size of a Transpose in its rig graph is unknown/, (b) => b.node("Transpose", ["params"], { perm: 1 })],
    [
      /output size of a AveragePool in its rig graph is unknown/,
      (b) => b.node("AveragePool", [square(b)], { kernel_shape: [2, 2], auto_pad: "SAME_UPPER" }),
    ],
    [
      /MatMul .* exceeds the limit of multiplications/,
      (b) => {
        // What it makes is small enough; each element of it is a sum of two thousand products.
        const column = b.node("Expand", [b.scalar(1), b.ints(2048, 2048)]);
        b.node("MatMul", [column, b.node("Expand", [b.scalar(1), b.ints(2048, 2048)])]);
      },
    ],
    [
      /Conv .* exceeds the limit of multiplications/,
      (b) => {
        const large = b.node("Expand", [b.scalar(1), b.ints(1, 16, 512, 512)]);
        b.node("Conv", [large, b.node("Expand", [b.scalar(1), b.ints(16, 16, 32, 32)])]);
      },
    ],
    [/one float32 input/, (b) => b.input("more", "float32", [1])],
    [/no fixed size/, (b) => b.output("params", "float32", ["n", FACE_PARAMETER_COUNT])],
    [
      /Concat .* too large/,
      (b) => {
        // Doubles forty times.
        let value = "params";
        for (let i = 0; i < 40; i++) value = b.node("Concat", [value, value], { axis: 1 });
      },
    ],
    [
      /Add .* \[5000,5000\], which is too large/,
      (b) => {
        const row = b.constant(new Uint8Array(5000), [1, 5000], { storage: "uint8" });
        b.node("Add", [row, b.node("Transpose", [row], { perm: [1, 0] })]);
      },
    ],
    [
      /MatMul .* \[5000,5000\], which is too large/,
      (b) => {
        const row = b.constant(new Uint8Array(5000), [1, 5000], { storage: "uint8" });
        b.node("MatMul", [b.node("Reshape", [row, b.ints(-1, 1)]), row]);
      },
    ],
    [
      /Gather .* too large/,
      (b) => {
        const table = b.constant(new Uint8Array(1000), [1000, 1], { storage: "uint8" });
        const wide = b.node("Concat", Array(100).fill(table), { axis: 1 });
        b.node("Gather", [wide, b.constant(new Uint8Array(200_000), [200_000], { storage: "uint8" })]);
      },
    ],
    [
      /output size of a Conv in its rig graph is unknown/,
      (b) => {
        const image = b.node("Reshape", ["params", b.ints(1, 1, 3, 11)]);
        b.node("Conv", [image, b.constant([1], [1, 1, 1, 1])], { pads: [9999, 9999, 9999, 9999] });
      },
    ],
    [
      /Mul .* too large/,
      (b) => {
        // Each is small enough; three thousand of them are not.
        let value = b.node("Expand", ["params", b.ints(10_000, FACE_PARAMETER_COUNT)]);
        for (let i = 0; i < 3000; i++) value = b.node("Mul", [value, value]);
      },
    ],
  ];
  for (const [words, change] of hostile) t.match(await check(smallRig(change)), words, `${words}`);
});
