import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, open, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { readWav, writeWav } from "../../../../src/signal/audio/wav.ts";
import { decodeAudio } from "../../../../src/signal/media/decode-audio.ts";
import { findMediaTool } from "../../../../src/signal/media/media-tool.ts";
import { type Mp4Options, Mp4Writer } from "../../../../src/signal/media/mp4-writer.ts";
import { readBlocks } from "../../../../src/signal/media/read-blocks.ts";
import { findFfmpeg } from "../../../helpers/files/find-ffmpeg.ts";
import { writeMediaFiles } from "../../../helpers/files/media-files.ts";
import { probeFilm } from "../../../helpers/files/probe-film.ts";
import { pidsWithin } from "../../../helpers/processes/pids-within.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const FRAME = { widthPx: 96, heightPx: 64 };
const RATE_HZ = 48_000;
const HOP = 1920;
/** Files of the other formats, and how much of one an encoder may cut off or pad. */
const MEDIA_SECONDS = 1;
const PADDED_SECONDS = 0.2;
/** 20 ms of AMR at its lowest rate. */
const AMR_FRAME = Buffer.from([0x04, ...new Array(12).fill(0)]);

const recordings = await writeMediaFiles(t.testdir(), MEDIA_SECONDS);
const ffmpegPath = findFfmpeg();
const noFfmpeg = ffmpegPath ? false : "no ffmpeg on this machine";

/** Frame `k`: a luma ramp that moves, so that order and content can be recognised. */
function frame(k: number) {
  const data = new Uint8Array((FRAME.widthPx * FRAME.heightPx * 3) / 2).fill(128);
  for (let i = 0; i < FRAME.widthPx * FRAME.heightPx; i++) data[i] = 16 + (((i % FRAME.widthPx) + 8 * k) % 200);
  return { ...FRAME, data };
}

function tone(count: number, offset = 0): Int16Array {
  return Int16Array.from({ length: count }, (_, i) => 8000 * Math.sin((2 * Math.PI * 440 * (offset + i)) / RATE_HZ));
}

async function writeFilm(path: string, frames: number, options: Partial<Mp4Options> = {}): Promise<void> {
  const writer = Mp4Writer.open(path, { ...FRAME, frameRateFps: 25, sampleRateHz: RATE_HZ, ...options });
  try {
    for (let k = 0; k < frames; k++) {
      await writer.writeFrame(frame(k));
      await writer.writeAudio(tone(HOP, k * HOP));
    }
    await writer.finish();
  } finally {
    await writer.abort();
  }
}

/** A shell script in place of FFmpeg. */
async function writeScript(folder: string, script: string): Promise<string> {
  const path = join(folder, "ffmpeg");
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

t.test("a video has all frames at a constant 25 fps, its audio, and the right colours", (t) => checkFilm(t));

t.test("an FFmpeg executable writes the same video, and reads the same files", { skip: noFfmpeg }, async (t) => {
  await checkFilm(t, ffmpegPath);
  await checkFormats(t, ffmpegPath);
  const folder = t.testdir();
  await symlink("/dev/full", join(folder, "film.mp4.partial"));
  // This one stays, with its input unread.
  await t.rejects(writeFilm(join(folder, "film.mp4"), 200, { ffmpegPath, stallMs: 1_000 }), {
    message: /No space left/,
  });
  await t.rejects(writeFilm(join(folder, "film.mp4"), 200, { ffmpegPath, maxBytes: 5_000 }), { message: /SIGXFSZ/ });
  t.same(await readdir(folder), []);
});

t.test("every format of the contract is read, and the sound tracks of films", (t) => checkFormats(t));

async function checkFormats(t: Test, ffmpegPath?: string): Promise<void> {
  for (const { name, path } of recordings) {
    const { samples, sampleRateHz } = await decodeAudio(path, { ffmpegPath });
    t.equal(sampleRateHz, RATE_HZ, name);
    t.ok(Math.abs(samples.length / RATE_HZ - MEDIA_SECONDS) < PADDED_SECONDS, `${name}: ${samples.length} samples`);
    const peak = Math.max(...samples);
    t.ok(peak > 14_000 && peak < 19_000, `${name}: as loud as it was, ${peak}`);
  }
}

async function checkFilm(t: Test, ffmpegPath?: string): Promise<void> {
  const path = join(t.testdir(), "film.mp4");
  await writeFilm(path, 60, { ffmpegPath });
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
}

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
  await t.rejects(writeFilm(join(folder, "film.mp4"), 3, { ffmpegPath: "/no/such/ffmpeg" }), {
    code: "program-failed",
    message: /could not be started/,
  });
});

t.test("a disk that fills, and a file over its limit, fail a video and leave no file", async (t) => {
  const folder = t.testdir();
  await symlink("/dev/full", join(folder, "film.mp4.partial"));
  await t.rejects(writeFilm(join(folder, "film.mp4"), 10), { code: "program-failed", message: /No space left/ });
  const limited = writeFilm(join(folder, "film.mp4"), 500, { maxBytes: 5_000 });
  await t.rejects(limited, { code: "program-failed", message: /wrote more than/ });
  t.same(await readdir(folder), []);
});

t.test(
  "the error of a failed media program has its last output; it sees no secret, and takes all it started along",
  async (t) => {
    const folder = t.testdir();
    const film = join(folder, "film.mp4");
    const failing = await writeScript(folder, "echo 'Unknown encoder libx264' >&2\nexit 1");
    await t.rejects(writeFilm(film, 50, { ffmpegPath: failing }), { message: /Unknown encoder libx264/ });
    process.env.TOP_SECRET = "hidden";
    t.teardown(() => delete process.env.TOP_SECRET);
    const telling = await writeScript(folder, "echo $(env) >&2\nexit 1");
    const error = await writeFilm(film, 50, { ffmpegPath: telling }).catch((reason) => reason);
    t.match(error.message, /PATH=/);
    t.notMatch(error.message, /hidden/);
    const hanging = await writeScript(folder, "sleep 600 & echo $! >&2\nwait");
    const mp3 = join(folder, "sound.mp3");
    await writeFile(mp3, "not a WAV file");
    const late = await decodeAudio(mp3, { ffmpegPath: hanging, timeoutMs: 1_000 }).catch((reason) => reason);
    t.equal(late.code, "unavailable");
    const pid = /\d+$/.exec(late.cause.message)?.[0];
    t.ok(pid);
    await waitFor(() => !existsSync(`/proc/${pid}`), "the end of the program's own process");
  },
);

t.test("odd sizes and frames of another size are refused", async (t) => {
  const options = { ...FRAME, frameRateFps: 25, sampleRateHz: RATE_HZ };
  t.throws(() => Mp4Writer.open("x.mp4", { ...options, widthPx: 97 }), RangeError);
  const writer = Mp4Writer.open(join(t.testdir(), "film.mp4"), options);
  await t.rejects(writer.writeFrame({ ...FRAME, data: new Uint8Array(5) }), RangeError);
  await writer.abort();
});

t.test("a decoder is killed with all that it started when its caller leaves", async (t) => {
  const folder = t.testdir();
  const hanging = await writeScript(folder, "sleep 601.5 & wait");
  const mp3 = join(folder, "sound.mp3");
  await writeFile(mp3, "not a WAV file");
  const leaving = new AbortController();
  const left = decodeAudio(mp3, { ffmpegPath: hanging, signal: leaving.signal });
  const started = () => pidsWithin(process.pid, "601.5");
  await waitFor(async () => (await started()).length > 0, "the program's own process");
  const pids = await started();
  leaving.abort(new Error("the caller left"));
  await t.rejects(left, { message: "the caller left" });
  await waitFor(() => pids.every((pid) => !existsSync(`/proc/${pid}`)), "its end");
  await t.rejects(
    decodeAudio(mp3, { signal: leaving.signal }),
    { message: "the caller left" },
    "before its start, too",
  );
});

t.test("WAV above a size is left to the media program, which converts to a rate", async (t) => {
  const wav = join(t.testdir(), "sound.wav");
  const samples = tone(RATE_HZ / 2);
  await writeFile(wav, writeWav({ samples, sampleRateHz: RATE_HZ }));
  const programRateHz = RATE_HZ / 2;
  t.equal((await decodeAudio(wav, { programRateHz })).sampleRateHz, RATE_HZ, "read here, at its own rate");
  const converted = await decodeAudio(wav, { programRateHz, maxOwnWavBytes: 1_000 });
  t.equal(converted.sampleRateHz, programRateHz);
  t.ok(Math.abs(converted.samples.length - samples.length / 2) < 50);
  if (!ffmpegPath) return;
  const byExecutable = await decodeAudio(wav, { programRateHz, maxOwnWavBytes: 1_000, ffmpegPath });
  t.equal(byExecutable.sampleRateHz, programRateHz);
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
    const ffmpegPath = await writeScript(folder, 'echo "$@ $(ulimit -t) $(ulimit -f) $(ulimit -v)" >&2\nexit 1');
    const failed = await decodeAudio(long, { onlySeconds: 2, ffmpegPath }).catch((error) => error);
    t.match(failed.cause.message, /-t 2 .* 602 0 3906250$/, "an FFmpeg executable has limits of CPU, files and memory");
  },
);

t.test("recordings are read past a damaged part", async (t) => {
  const path = join(t.testdir(), "sound.mp3");
  const bytes = await readFile(recordings.find(({ name }) => name === "mp3")?.path ?? "");
  bytes.fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 500);
  await writeFile(path, bytes);
  t.ok((await decodeAudio(path)).samples.length > 0.8 * MEDIA_SECONDS * RATE_HZ);
});

t.test("a WAV file that contradicts itself is refused before memory is reserved for it", async (t) => {
  const path = join(t.testdir(), "sound.wav");
  const bytes = Buffer.from(writeWav({ samples: tone(RATE_HZ), sampleRateHz: RATE_HZ }));
  // 32,769 channels of 48,000 samples each would be 6 GB.
  bytes.writeUInt16LE(0x8001, 22);
  t.throws(() => readWav(bytes), { code: "invalid-input", message: /no plausible format/ });
  await writeFile(path, bytes);
  const error = await decodeAudio(path).then(
    () => null,
    (reason) => reason,
  );
  t.ok(error === null || error.code === "invalid-input");
  // The engine takes 8 to 192 kHz.
  await writeFile(path, writeWav({ samples: tone(6_000), sampleRateHz: 6_000 }));
  await t.rejects(decodeAudio(path), { code: "invalid-input" });
  await writeFile(path, writeWav({ samples: tone(RATE_HZ), sampleRateHz: 0xffff_fff0 }));
  await t.rejects(decodeAudio(path), { code: "invalid-input" });
});

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
