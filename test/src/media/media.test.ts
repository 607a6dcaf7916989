import { execFileSync, spawn } from "node:child_process";
import { chmod, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { writeWav } from "../../../src/audio/wav.ts";
import { decodeAudio } from "../../../src/media/decode-audio.ts";
import { findMediaTool } from "../../../src/media/media-tool.ts";
import { Mp4Writer } from "../../../src/media/mp4-writer.ts";
import { readBlocks } from "../../../src/media/read-blocks.ts";
import { probeFilm } from "../../helpers/probe-film.ts";

const FRAME = { widthPx: 96, heightPx: 64 };
const RATE_HZ = 48_000;
const HOP = 1920;
/** 20 ms of AMR at its lowest rate. */
const AMR_FRAME = Buffer.from([0x04, ...new Array(12).fill(0)]);

/** Frame `k`: a luma ramp that moves, so that order and content can be recognised. */
function frame(k: number) {
  const data = new Uint8Array((FRAME.widthPx * FRAME.heightPx * 3) / 2).fill(128);
  for (let i = 0; i < FRAME.widthPx * FRAME.heightPx; i++) data[i] = 16 + (((i % FRAME.widthPx) + 8 * k) % 200);
  return { ...FRAME, data };
}

function tone(count: number, offset = 0): Int16Array {
  return Int16Array.from({ length: count }, (_, i) => 8000 * Math.sin((2 * Math.PI * 440 * (offset + i)) / RATE_HZ));
}

async function writeFilm(path: string, frames: number, ffmpegPath?: string): Promise<void> {
  const writer = Mp4Writer.open(path, { ...FRAME, frameRateFps: 25, sampleRateHz: RATE_HZ, ffmpegPath });
  for (let k = 0; k < frames; k++) {
    await writer.writeFrame(frame(k));
    await writer.writeAudio(tone(HOP, k * HOP));
  }
  await writer.finish();
}

t.test("a video has all frames at a constant 25 fps, its audio, and the right colours", async (t) => {
  const path = join(t.testdir(), "film.mp4");
  await writeFilm(path, 60);
  const film = await probeFilm(path);
  t.equal(film.frames.length, 60);
  t.same(
    new Set(film.frames.slice(1).map(({ timeS }, k) => Math.round((timeS - film.frames[k].timeS) * 1000))),
    new Set([40]),
  );
  t.same([film.widthPx, film.heightPx, film.videoCodec, film.audioCodec], [96, 64, "h264", "aac"]);
  t.same([film.colorSpace, film.colorRange], ["smpte170m", "tv"]);
  for (const k of [0, 30, 59]) {
    const error = film.frames[k].luma.reduce((sum, value, i) => sum + Math.abs(value - frame(k).data[i]), 0);
    t.ok(error / film.frames[k].luma.length < 4, `frame ${k} is itself`);
  }
  const audio = await decodeAudio(path);
  t.equal(audio.sampleRateHz, RATE_HZ);
  t.ok(Math.abs(audio.samples.length / RATE_HZ - 2.4) < 0.03, "as long as the video");
  t.ok(Math.max(...audio.samples.subarray(40_000, 50_000)) > 7000, "and as loud");
  const bytes = await readFile(path);
  t.ok(bytes.indexOf("moov") < bytes.indexOf("mdat"), "the index comes first, so that it plays while it loads");
});

t.test("an aborted video leaves no files", async (t) => {
  const folder = t.testdir();
  const writer = Mp4Writer.open(join(folder, "film.mp4"), { ...FRAME, frameRateFps: 25, sampleRateHz: RATE_HZ });
  for (let k = 0; k < 30; k++) await writer.writeFrame(frame(k));
  await Promise.all([writer.abort(), writer.abort()]);
  t.same(await readdir(folder), []);
});

t.test("a video that cannot be written fails with a message", async (t) => {
  const folder = t.testdir({ file: "not a folder" });
  await t.rejects(writeFilm(join(folder, "file", "film.mp4"), 50), { code: "program-failed" });
  await t.rejects(writeFilm(join(folder, "film.mp4"), 3, "/no/such/ffmpeg"), {
    code: "program-failed",
    message: /could not be started/,
  });
});

t.test("the error of a failed FFmpeg process contains its last output", async (t) => {
  const folder = t.testdir();
  const path = join(folder, "ffmpeg");
  await writeFile(path, "#!/bin/sh\necho 'Unknown encoder libx264' >&2\nexit 1\n");
  await chmod(path, 0o755);
  await t.rejects(writeFilm(join(folder, "film.mp4"), 50, path), { message: /Unknown encoder libx264/ });
});

t.test("odd sizes and frames of another size are refused", async (t) => {
  const options = { ...FRAME, frameRateFps: 25, sampleRateHz: RATE_HZ };
  t.throws(() => Mp4Writer.open("x.mp4", { ...options, widthPx: 97 }), RangeError);
  const writer = Mp4Writer.open(join(t.testdir(), "film.mp4"), options);
  await t.rejects(writer.writeFrame({ ...FRAME, data: new Uint8Array(5) }), RangeError);
  await writer.abort();
});

t.test("audio is read from WAV directly, and from other files by FFmpeg", async (t) => {
  const folder = t.testdir();
  const samples = tone(RATE_HZ / 2);
  const wav = join(folder, "sound.wav");
  await writeFile(wav, writeWav({ samples, sampleRateHz: RATE_HZ }));
  t.same(await decodeAudio(wav, { ffmpegPath: "/no/such/ffmpeg" }), { samples, sampleRateHz: RATE_HZ });

  // The extensible form of the header is legal WAV that our own reader leaves to FFmpeg.
  const plain = writeWav({ samples, sampleRateHz: RATE_HZ });
  const extensible = Buffer.concat([plain.subarray(0, 36), Buffer.alloc(24), plain.subarray(36)]);
  extensible.writeUInt32LE(40, 16);
  extensible.writeUInt16LE(0xfffe, 20);
  extensible.set([22, 0, 16, 0, 4, 0, 0, 0], 36);
  extensible.set(Buffer.from("0100000000001000800000aa00389b71", "hex"), 44);
  await writeFile(wav, extensible);
  t.same(await decodeAudio(wav), { samples, sampleRateHz: RATE_HZ });
});

t.test(
  "only the beginning of long audio is decoded; audio over the limit is refused, and a slow decoder is killed",
  async (t) => {
    const folder = t.testdir();
    const wav = join(folder, "sound.wav");
    await writeFile(wav, writeWav({ samples: tone(RATE_HZ), sampleRateHz: RATE_HZ }));
    t.same((await decodeAudio(wav, { onlySeconds: 0.5 })).samples, tone(RATE_HZ / 2));
    // Frames of 20 ms in 13 bytes each: an hour and six minutes.
    const long = join(folder, "long.amr");
    await writeFile(long, Buffer.concat([Buffer.from("#!AMR\n"), Buffer.alloc(200_000 * 13, AMR_FRAME)]));
    t.equal((await decodeAudio(long, { onlySeconds: 2 })).samples.length, 16_000);
    await t.rejects(decodeAudio(long, { maxSeconds: 5 }), { code: "too-large", message: /longer than 5 seconds/ });
    await t.rejects(decodeAudio(wav, { maxSeconds: 0.9 }), { code: "too-large" }, "a WAV file too");
    await t.rejects(decodeAudio(long, { timeoutMs: 1 }), { code: "unavailable", message: /in time/ });
    const ffmpegPath = join(folder, "ffmpeg");
    await writeFile(ffmpegPath, '#!/bin/sh\necho "$@ $(ulimit -t)" >&2\nexit 1\n');
    await chmod(ffmpegPath, 0o755);
    const failed = await decodeAudio(long, { onlySeconds: 2, ffmpegPath }).catch((error) => error);
    t.match(failed.cause.message, /-t 2 .* 600/, "an FFmpeg executable has the same limits");
  },
);

t.test("files without audio are refused, each with its own code", async (t) => {
  const folder = t.testdir({
    empty: "",
    text: "not audio at all, by any stretch",
    list: "#EXTM3U\nhttp://127.0.0.1:1/a.ts\n",
  });
  for (const name of ["empty", "text", "list"]) {
    await t.rejects(decodeAudio(join(folder, name)), { code: "invalid-input" }, name);
  }
  await t.rejects(decodeAudio(join(folder, "missing")), { code: "file-not-found" });
  await t.rejects(decodeAudio("http://127.0.0.1:1/a.mp3"), { code: "file-not-found" }, "addresses are not files");
});

t.test("a configured executable takes precedence over the package", async (t) => {
  t.same(findMediaTool({ ffmpegPath: "/usr/bin/ffmpeg" }), { kind: "ffmpeg", path: "/usr/bin/ffmpeg" });
  t.same(findMediaTool(), { kind: "node-av" });
});

t.test("blocks have their size for every chunk size", async (t) => {
  const sizes = async (keepLast: boolean) => {
    // A pipe that gets its bytes in pieces of other sizes, as frames arrive.
    const fifo = join(t.testdir(), "fifo");
    execFileSync("mkfifo", [fifo]);
    const writer = spawn("sh", ["-c", `{ printf 1; sleep .05; printf 23456; printf 78901234567; } > ${fifo}`]);
    const pipe = await open(fifo, "r");
    const found: string[] = [];
    for await (const block of readBlocks(pipe.fd, 4, { keepLast })) found.push(block.toString());
    await pipe.close();
    writer.kill();
    return found;
  };
  t.same(await sizes(false), ["1234", "5678", "9012", "3456"]);
  t.same(await sizes(true), ["1234", "5678", "9012", "3456", "7"]);
});
