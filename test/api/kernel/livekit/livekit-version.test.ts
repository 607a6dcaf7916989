// The version of a LiveKit server: read from a real server, and compared.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { ServerInfo_Edition } from "@livekit/protocol";
import t from "tap";
import { createLiveKitProbe, isAtLeast, probeLiveKit } from "../../../../api/kernel/livekit/livekit-version.ts";
import { withLiveKit } from "../../../helpers/livekit/with-livekit.ts";
import { withLiveKitVersion } from "../../../helpers/livekit/with-livekit-version.ts";

const UNREACHABLE = { status: "unreachable", version: null };

t.test("a real server reports its version to a client with its keys, and no room remains", async (t) => {
  await withLiveKit(async (livekit) => {
    const before = (await livekit.rooms.listRooms()).length;
    t.match(await probeLiveKit(livekit), { status: "ok", version: /^\d+\.\d+\.\d+/ });
    const http = livekit.url.replace(/^ws/, "http");
    t.match(await probeLiveKit({ ...livekit, url: `${http}/` }), { status: "ok" }, "the HTTP spelling is taken too");
    t.same(await probeLiveKit({ ...livekit, apiSecret: "x".repeat(40) }), UNREACHABLE, "refused keys");
    t.ok((await livekit.rooms.listRooms()).length <= before, "no room was made");
  });
});

t.test("an old server is outdated, LiveKit Cloud never is, and a server that does not answer times out", async (t) => {
  await withLiveKitVersion("1.9.11", async (server) => {
    t.same(await probeLiveKit(server), { status: "outdated", version: "1.9.11" });
    const check = createLiveKitProbe(server);
    const before = server.registrations();
    const answers = await Promise.all(Array.from({ length: 20 }, () => check()));
    t.same(answers[19], { status: "outdated", version: "1.9.11" });
    t.equal(server.registrations() - before, 1, "callers at the same time share one probe");
  });
  const cloud = async () => withLiveKitVersion("1.8.0", (server) => probeLiveKit(server), ServerInfo_Edition.Cloud);
  t.same(await cloud(), { status: "ok", version: "1.8.0" });
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const keys = { apiKey: "key", apiSecret: "x".repeat(40) };
  t.same(await probeLiveKit({ ...keys, url, timeoutMs: 100 }), UNREACHABLE);
  for (const socket of sockets) socket.destroy();
  silent.close();
  t.same(await probeLiveKit({ ...keys, url: "ws://127.0.0.1:9" }), UNREACHABLE);
});

t.test("versions are compared part by part", async (t) => {
  for (const version of ["1.9.12", "1.10.0", "2.0.0-rc1", "v1.11.0", "unknown"])
    t.ok(isAtLeast(version, "1.9.12"), version);
  for (const version of ["1.9.11", "1.8.20", "0.99.99"]) t.notOk(isAtLeast(version, "1.9.12"), version);
});
