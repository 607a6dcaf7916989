// The memory that a real api process needs for an upload of 100 MB in base64.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import t from "tap";
import { ensureOperatorAccount } from "../../../api/accounts/operator-account.ts";
import { createClock } from "../../../api/kernel/clock.ts";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { makeDataFolder } from "../../helpers/files/data-folder.ts";
import { withDatabase } from "../../helpers/servers/with-database.ts";
import { testPrograms } from "../../helpers/service/built-programs.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const SECRET = "a-secret-of-the-operator-for-tests-only";
const FILE_BYTES = 100_000_000;
/** What has to be loaded for any upload is in memory after this one. */
const FIRST_FILE_BYTES = 3_000_000;
/** Of the file's size. Held as a whole, its base64 alone would take 1.33; what is on its way, and not yet collected,
 *  some 0.1. */
const MAX_GROWTH = 0.3;
/** Divisible by three, so that pieces of base64 can be sent one after the other. */
const PIECE_BYTES = 300_000;

/** Peak memory of a process in bytes; null if the system does not report it. */
async function peakBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const match = /VmHWM:\s+(\d+) kB/.exec(status);
  return match ? Number(match[1]) * 1024 : null;
}

/** Streams `{"file_name": …, "file_data": "<base64>"}`; the body is never in memory as a whole. */
async function* uploadBody(start: Buffer, fileBytes: number): AsyncGenerator<string> {
  yield '{"file_name": "film.mp4", "file_data": "';
  const filler = Buffer.alloc(PIECE_BYTES, 7);
  for (let sent = 0; sent < fileBytes; sent += PIECE_BYTES) {
    const piece = Buffer.from(filler.subarray(0, Math.min(PIECE_BYTES, fileBytes - sent)));
    if (sent === 0) start.copy(piece);
    yield piece.toString("base64");
  }
  yield '"}';
}

async function post(port: number, body: Readable): Promise<{ status: number; text: string }> {
  const sending = request({
    port,
    host: "127.0.0.1",
    method: "POST",
    path: "/v1/files/upload",
    headers: { "api-secret": SECRET, "content-type": "application/json" },
  });
  body.pipe(sending);
  const [response] = await once(sending, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, text };
}

t.test("the api, started as by npm start, receives 100 MB in base64 with little more memory than 3 MB", async (t) => {
  const dataDir = await makeDataFolder(t);
  const start = await readFile(fileURLToPath(new URL("../../fixtures/files/a.mp4", import.meta.url)));
  await withDatabase(async ({ url, database }) => {
    await ensureOperatorAccount({ database, secret: SECRET, now: new Date(createClock()()) });
    const port = await findFreePort();
    const environment = {
      PATH: process.env.PATH,
      DATABASE_URL: url,
      PORT: String(port),
      AVATAR_DATA_DIR: dataDir,
      LIVEKIT_URL: "ws://127.0.0.1:9",
      LIVEKIT_API_KEY: "none",
      LIVEKIT_API_SECRET: "none".repeat(10),
    };
    const { nodeFlags, script } = (await testPrograms()).api;
    // Without the options that the test runner gives to every child: its loader weighs more than the upload.
    const command = ["-u", "NODE_OPTIONS", process.execPath, ...nodeFlags, script];
    const child: ChildProcess = spawn("env", command, { env: environment, stdio: "inherit" });
    try {
      const isUp = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          (answer) => answer.ok,
          () => false,
        );
      await waitFor(isUp, "the api", 150_000);
      const upload = (fileBytes: number) => post(port, Readable.from(uploadBody(start, fileBytes)));
      t.match(await upload(FIRST_FILE_BYTES), { status: 200 });
      const before = await peakBytes(child.pid ?? 0);
      t.match(await upload(FILE_BYTES), { status: 200, text: /"file_size":100000000/ });
      const after = await peakBytes(child.pid ?? 0);
      if (before === null || after === null) {
        t.comment("this system does not tell a process's peak memory");
        return;
      }
      t.comment(`peak memory: ${Math.round(before / 1e6)} MB before, ${Math.round(after / 1e6)} MB after`);
      const growth = (after - before) / FILE_BYTES;
      t.ok(growth < MAX_GROWTH, `${growth.toFixed(2)} of the file's size more`);
    } finally {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  });
});
