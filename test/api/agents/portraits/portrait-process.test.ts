import { readFileSync } from "node:fs";
import t from "tap";
import { PortraitProcess } from "../../../../api/agents/portraits/portrait-process.ts";
import { VoiceProcess } from "../../../../api/agents/voices/voice-process.ts";
import { createLogger } from "../../../../program/log.ts";
import { photographedFace } from "../../../helpers/faces/face-of.ts";
import { childPids } from "../../../helpers/processes/child-pids.ts";

const astronaut = readFileSync(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url));
const turned = readFileSync(new URL("../../../fixtures/portraits/turned.jpg", import.meta.url));
const face = { bytes: astronaut, points: (await photographedFace()).points, style: null };
const logger = createLogger({ name: "test", level: "silent" });

t.test("tasks run in order in one process; a refusal is an error of the caller, and the next task runs", async (t) => {
  const portraits = new PortraitProcess({ logger });
  t.teardown(() => portraits.close());
  const shares: number[] = [];
  const bake = portraits.bake({ ...face, family: "essence-2", aspectRatio: "9:16", isTransparent: false }, (share) =>
    shares.push(share),
  );
  const refused = portraits.inspect({ bytes: Buffer.from("no image"), check: "none" });
  const inspected = portraits.inspect({ bytes: astronaut, check: "classify" });
  await t.rejects(refused, { name: "ServiceError", code: "VALIDATION_ERROR" });
  t.match(await inspected, { widthPx: 512, heightPx: 512, isPerson: true });
  t.match(await portraits.inspect({ bytes: turned, check: "classify" }), { isPerson: false });
  await t.rejects(portraits.inspect({ bytes: turned, check: "refuse" }), { code: "IMAGE_FACE_UNSUITABLE" });
  t.match(await portraits.locate({ bytes: turned }), { isSure: false, reason: /turned/, guess: { chin: {} } });
  const { imx } = await bake;
  t.equal(Buffer.from(imx.subarray(0, 3)).toString(), "IMX");
  t.same(
    shares,
    [...shares].sort((left, right) => left - right),
  );
  t.equal(childPids("portrait-child").length, 1);
});

t.test(
  "if the process dies, its task fails without being an error of the caller, and the process is replaced",
  async (t) => {
    const portraits = new PortraitProcess({ logger, niceness: 5 });
    t.teardown(() => portraits.close());
    await portraits.inspect({ bytes: astronaut, check: "none" });
    const [pid] = childPids("portrait-child");
    const doomed = portraits.bake({ ...face, family: "essence-2", aspectRatio: "1:1", isTransparent: false }, () =>
      process.kill(pid, "SIGKILL"),
    );
    const next = portraits.inspect({ bytes: astronaut, check: "none" });
    const error = await doomed.then(
      () => null,
      (reason: Error) => reason,
    );
    t.match(error, {
      code: "SERVICE_UNAVAILABLE",
      retryAfterSeconds: 10,
      cause: { reason: "lost", message: /SIGKILL/ },
    });
    t.match(await next, { widthPx: 512 });
  },
);

t.test(
  "accounts take turns, too many tasks of one account are refused, and tasks of disconnected callers are dropped",
  async (t) => {
    const portraits = new PortraitProcess({ logger, maxWaitingPerAccount: 2 });
    t.teardown(() => portraits.close());
    const order: string[] = [];
    const inspect = (userId: string, signal?: AbortSignal) =>
      portraits.inspect({ bytes: astronaut, check: "none" }, { userId, signal }).then(() => order.push(userId));
    const leaving = new AbortController();
    const tasks = [inspect("busy"), inspect("busy"), inspect("busy"), inspect("other")];
    const left = inspect("left", leaving.signal);
    await t.rejects(inspect("busy"), { code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 10 });
    const late = portraits.inspect({ bytes: astronaut, check: "none" }, { userId: "late", timeoutMs: 1 });
    leaving.abort(new Error("the client left"));
    await t.rejects(left, /the client left/);
    await t.rejects(late, { code: "SERVICE_UNAVAILABLE" });
    await Promise.all(tasks);
    t.same(order, ["busy", "busy", "other", "busy"]);
  },
);

t.test("a small file with hours of audio costs no more than its first half minute", async (t) => {
  const voices = new VoiceProcess({ logger });
  t.teardown(() => voices.close());
  // Frames of 20 ms in 13 bytes each: four hours.
  const bytes = Buffer.concat([
    Buffer.from("#!AMR\n"),
    Buffer.alloc(9_999_000, Buffer.from([0x04, ...new Array(12).fill(0)])),
  ]);
  t.same(await voices.measure({ bytes }), { character: null, durationMs: 30_000 });
  await t.rejects(voices.measure({ bytes: Buffer.from("no audio") }), { code: "VALIDATION_ERROR" });
});

t.test("closing ends the process and rejects waiting tasks; it is idempotent", async (t) => {
  const isClosed = { code: "SERVICE_UNAVAILABLE", cause: { reason: "closed" } };
  const portraits = new PortraitProcess({ logger });
  const tasks = [1, 2].map(() => t.rejects(portraits.inspect({ bytes: astronaut, check: "none" }), isClosed));
  await portraits.close();
  await portraits.close();
  await Promise.all(tasks);
  await t.rejects(portraits.inspect({ bytes: astronaut, check: "none" }), isClosed);
  t.same(childPids("portrait-child"), []);
});
