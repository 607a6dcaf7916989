// An avatar file in real rooms: an agent speaks through it, a listener sees and hears it.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { BundleHost } from "../../../../sdk/livekit-agents/bundle/bundle-host.ts";
import { mintJoinToken } from "../../../../sdk/livekit-agents/livekit-access.ts";
import { bundleFile } from "../../../helpers/faces/bundle-file.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { disposeRtc } from "../../../helpers/livekit/dispose-rtc.ts";
import { type TestLiveKit, withLiveKit } from "../../../helpers/livekit/with-livekit.ts";
import { childPids } from "../../../helpers/processes/child-pids.ts";
import { TestRoom } from "../../../helpers/rooms/test-room.ts";
import { AVATAR_IDENTITY, TestListener, TestSender } from "../../../helpers/rooms/with-room-avatar.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.teardown(disposeRtc);

const RATE_HZ = 16_000;
const never = new AbortController().signal;
const silent = { debug: () => undefined, warn: () => undefined };
const folder = await makeDataFolder(t);
const bundle = await bundleFile(folder);

/** A voice: a tone with overtones. */
function hum(seconds: number): Int16Array {
  return Int16Array.from({ length: seconds * RATE_HZ }, (_, i) => {
    const phase = (2 * Math.PI * 150 * i) / RATE_HZ;
    return 5000 * Math.sin(phase) + 3000 * Math.sin(3 * phase);
  });
}

async function place(livekit: TestLiveKit) {
  const { roomName } = livekit;
  const avatar = { roomName, identity: AVATAR_IDENTITY, name: "Maya", provider: "test", agentIdentity: "agent" };
  return { livekit, roomName, livekitToken: await mintJoinToken(livekit, avatar) };
}

async function enter(livekit: TestLiveKit, room: TestRoom, identity: string, kind: "agent" | "standard") {
  const token = await livekit.mintToken(identity, { kind });
  await room.connect(livekit.url, token, { autoSubscribe: kind === "standard", dynacast: false });
  return room;
}

async function participants({ rooms, roomName }: TestLiveKit): Promise<string[]> {
  return (await rooms.listParticipants(roomName)).map(({ identity }) => identity).sort();
}

const programs = () => childPids("bundle-program");

t.test("an agent speaks through an avatar file", async (t) => {
  await withLiveKit(async (livekit) => {
    const listenerRoom = new TestRoom();
    const listener = new TestListener(listenerRoom);
    await enter(livekit, listenerRoom, "user", "standard");
    const agentRoom = await enter(livekit, new TestRoom(), "agent", "agent");
    const sender = new TestSender(agentRoom);
    const host = new BundleHost({ bundle, logger: silent });
    await host.start(await place(livekit), never);
    t.equal(programs().length, 1);

    await waitFor(() => listener.frames.length > 0 && listener.heard.length > 0, "the avatar's tracks arrive");
    const firstMs = performance.now();
    await sender.say(hum(2));
    await waitFor(() => sender.finished.length === 1, "the speech is over");
    const fps = listener.frames.filter(({ atMs }) => atMs >= firstMs).length / ((performance.now() - firstMs) / 1000);
    t.ok(fps > 23.5 && fps < 26.5, `${fps} fps`);
    t.ok(Math.abs(listener.loudMs(firstMs) - 2000) < 150, `${listener.loudMs(firstMs)} ms heard`);
    t.equal(sender.finished[0].interrupted, false);
    t.ok(Math.abs((sender.finished[0].positionS ?? 0) - 2) < 0.05, `${sender.finished[0].positionS} s`);

    const secondMs = performance.now();
    await sender.say(hum(10));
    await waitFor(() => listener.loudMs(secondMs) > 500, "the second speech is heard");
    const clearedMs = performance.now();
    const heardMs = listener.loudMs(secondMs);
    await sender.clear();
    await waitFor(() => sender.finished.length > 1, "the interruption is reported");
    await waitFor(() => performance.now() - clearedMs > 600, "all is heard that was on its way");
    t.ok(listener.loudMs(clearedMs) < 500, `${listener.loudMs(clearedMs)} ms after the interruption`);
    t.equal(listener.loudMs(clearedMs + 500), 0);
    t.same(
      sender.finished.map(({ interrupted }) => interrupted),
      [false, true],
    );
    const { positionS = 0 } = sender.finished[1];
    t.ok(Math.abs(positionS * 1000 - heardMs) < 300, `${positionS} s, ${heardMs} ms heard`);

    // A process that dies is replaced.
    const [dead] = programs();
    process.kill(dead, "SIGKILL");
    await waitFor(() => host.pid !== undefined && host.pid !== dead, "another process has joined");
    const thirdMs = performance.now();
    await sender.say(hum(1));
    await waitFor(() => listener.loudMs(thirdMs) > 800, "the next speech is heard");

    await host.end();
    t.same(programs(), []);
    await waitFor(async () => (await participants(livekit)).join() === "agent,user", "the avatar is gone");
    for (const room of [agentRoom, listenerRoom]) await room.disconnect();
  });
});

t.test("two avatars of one process are in two rooms at the same time", async (t) => {
  const show = () =>
    withLiveKit(async (livekit) => {
      const host = new BundleHost({ bundle, seed: 7, expressiveness: 1, logger: silent });
      await host.start(await place(livekit), never);
      const agentRoom = await enter(livekit, new TestRoom(), "agent", "agent");
      const sender = new TestSender(agentRoom);
      await sender.say(hum(1));
      await waitFor(() => sender.finished.length === 1, "the speech is over");
      t.ok(Math.abs((sender.finished[0].positionS ?? 0) - 1) < 0.05);
      await host.end();
      await agentRoom.disconnect();
    });
  await Promise.all([show(), show()]);
  t.same(programs(), []);
});

t.test("a file that cannot be shown is refused with what is wrong, and leaves nothing behind", async (t) => {
  const cut = join(folder, "cut.imx");
  await writeFile(cut, (await readFile(bundle)).subarray(0, 50_000));
  await withLiveKit(async (livekit) => {
    const at = await place(livekit);
    const start = (source: string | Uint8Array, signal = never) =>
      new BundleHost({ bundle: source, logger: silent }).start(at, signal);
    await t.rejects(start(cut), { name: "AvatarSessionError", message: /\.imx/ });
    await t.rejects(start(join(folder, "missing.imx")), { name: "AvatarSessionError", message: /missing\.imx/ });
    await t.rejects(start(new Uint8Array(100)), { name: "AvatarSessionError" });
    const stopped = AbortSignal.timeout(30);
    await t.rejects(start(bundle, stopped), { name: "TimeoutError" });
    t.same(programs(), []);
    t.same(await participants(livekit).catch(() => []), []);
  });
});
