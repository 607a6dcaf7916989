// Bodies cut at every place a network may cut them.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import t from "tap";
import { readStreamedJson } from "../../../program/http/streamed-json.ts";
import { UploadedFile } from "../../../program/http/uploaded-file.ts";

const bytes = Buffer.from(Array.from({ length: 13_001 }, (_, index) => (index * 7919) % 256));
/** Escapes of every kind around and inside the file. */
const text = JSON.stringify({
  note: 'quotes " and back\\slashes \\" é €',
  file: bytes.toString("base64"),
  list: ["x", { file: "short" }],
}).replaceAll("/", "\\/");

async function read(chunks: Buffer[], limitBytes = 1e6): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), "avatar-test-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const request = Readable.from(chunks) as IncomingMessage;
  return (await readStreamedJson(request, { limitBytes, fileFields: ["file"], folder })) as Record<string, unknown>;
}

t.test("a body gives the same value for every chunk size", async (t) => {
  const whole = Buffer.from(text);
  const size = whole.length;
  const cuts = [3, 1000, 16_384, size].map((step) =>
    Array.from({ length: Math.ceil(size / step) }, (_, index) => whole.subarray(index * step, (index + 1) * step)),
  );
  for (const chunks of cuts) {
    const { note, file, list } = await read(chunks);
    t.equal(note, 'quotes " and back\\slashes \\" é €');
    t.same(list, ["x", { file: "short" }]);
    t.ok(file instanceof UploadedFile);
    t.same(await readFile((file as UploadedFile).path), bytes, `${chunks.length} chunks`);
    t.equal((file as UploadedFile).sizeBytes, bytes.length);
  }
});

t.test("a caller cannot forge the placeholder of a file, and all limits hold", async (t) => {
  const { file } = await read([Buffer.from('{"file": "file-0"}')]);
  t.same(
    await readFile((file as UploadedFile).path),
    Buffer.from("file-0", "base64"),
    "what looks like a place is base64",
  );
  await t.rejects(read([Buffer.from(text)], 1000), { code: "FILE_TOO_LARGE" });
  await t.rejects(read([Buffer.from(`{"a": [${'"x",'.repeat(400_000)}1]}`)], 1e8), { code: "FILE_TOO_LARGE" });
  const long = JSON.stringify("A".repeat(20_000));
  await t.rejects(read([Buffer.from(`{"a": {"file": ${long}}}`)]), { code: "VALIDATION_ERROR" });
  await t.rejects(read([Buffer.from(`[${Array(9).fill(long).join(",")}]`)]), { code: "FILE_TOO_LARGE" });
  await t.rejects(read([Buffer.from('{"file": "\\')]), { code: "VALIDATION_ERROR" });
});

t.test("a body of a megabyte of empty strings takes only a few megabytes of memory", async (t) => {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const heldBytes = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const body = Buffer.alloc(1_000_000, '""');
  const before = heldBytes();
  let during = 0;
  const request = Readable.from(
    (async function* () {
      yield* [body.subarray(0, 500_000), body.subarray(500_000)];
      during = heldBytes();
      throw new Error("the client went away");
    })(),
  ) as IncomingMessage;
  const folder = await mkdtemp(join(tmpdir(), "avatar-test-"));
  t.teardown(() => rm(folder, { recursive: true }));
  await t.rejects(readStreamedJson(request, { limitBytes: 1e8, fileFields: ["file"], folder }), /went away/);
  const heldFor = during - before;
  t.ok(heldFor < 10_000_000, `${heldFor / 1e6} MB for a body of 1 MB`);
});
