// The embedded LiveKit server: loopback only, keys of its own, adopted by the next start.
import { readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { RoomServiceClient } from "livekit-server-sdk";
import t from "tap";
import { startLiveKitServer } from "../../../../cli/start/livekit/livekit-server.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";

t.test("a running server is reused by the next start, and restarted if its configuration changed", async (t) => {
  const dataDir = await makeDataFolder(t);
  const first = await startLiveKitServer({ dataDir });
  t.teardown(() => first.stop());
  t.equal(first.isAdopted, false);
  const second = await startLiveKitServer({ dataDir });
  t.match(second, { isAdopted: true, url: first.url, apiKey: first.apiKey, apiSecret: first.apiSecret });

  const other = await startLiveKitServer({ dataDir, webhookUrl: "http://127.0.0.1:9/hook" });
  t.teardown(() => other.stop());
  t.match(other, { isAdopted: false, apiKey: first.apiKey }, "its keys stay");
  t.equal(await first.isRunning(), false);
  await other.stop();
  await other.stop();
  t.equal(await other.isRunning(), false);

  await writeFile(join(dataDir, "livekit.env"), "LIVEKIT_URL=nowhere\nLIVEKIT_API_KEY=\n");
  const notes: string[] = [];
  const repaired = await startLiveKitServer({ dataDir, report: (line) => notes.push(line) });
  t.teardown(() => repaired.stop());
  t.match(notes, [/livekit\.env is damaged/]);
  t.not(repaired.apiSecret, first.apiSecret, "a damaged file is replaced");
});

/** As other machines reach this one. */
const outwardAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each && !each.internal && each.family === "IPv4")?.address;

t.test(
  "it is configured for loopback, without public STUN servers, and only this user can read the file with its keys",
  async (t) => {
    const dataDir = await makeDataFolder(t);
    const server = await startLiveKitServer({ dataDir });
    t.teardown(() => server.stop());
    t.equal(new URL(server.url).hostname, "127.0.0.1");
    const config = await readFile(join(dataDir, "livekit.yaml"), "utf8");
    for (const line of ["node_ip: 127.0.0.1", "use_external_ip: false", "- 127.0.0.1"]) {
      t.match(config.replaceAll('"', ""), line);
    }
    const stunServer = /stun_servers: \["(\[::1\]:\d+)"\]/.exec(config)?.[1];
    t.ok(stunServer, "the only STUN server is this machine");
    // Firefox makes no connection at all if a STUN server has a port that browsers refuse to fetch from.
    const failure: unknown = await fetch(`http://${stunServer}`).catch((error: Error) => error.cause);
    t.notMatch(failure, { message: "bad port" }, "browsers do not block its port");
    t.equal((await stat(join(dataDir, "livekit.env"))).mode & 0o777, 0o600);
    t.equal((await stat(join(dataDir, "livekit.yaml"))).mode & 0o777, 0o600);
    const stranger = new RoomServiceClient(server.url.replace("ws", "http"), server.apiKey, "x".repeat(43));
    await t.rejects(stranger.listRooms());
  },
);

/** Local addresses, in the kernel's hexadecimal notation, of the sockets on which a process receives. */
async function boundAddresses(pid: number, tables = ["tcp", "tcp6", "udp", "udp6"]): Promise<string[]> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => "")),
  );
  const inodes = new Set(targets.map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]));
  const addresses: string[] = [];
  for (const table of tables) {
    const [, ...rows] = (await readFile(`/proc/net/${table}`, "utf8")).trim().split("\n");
    for (const row of rows) {
      // Local address is field 1, remote address field 2, inode field 9. See proc_net(5).
      const fields = row.trim().split(/\s+/);
      const isUnconnected = /^0+:0000$/.test(fields[2]);
      if (isUnconnected && inodes.has(fields[9])) addresses.push(fields[1].split(":")[0]);
    }
  }
  return addresses;
}

t.test(
  "no socket of a server on loopback listens on another interface",
  { skip: process.platform === "linux" ? false : "sockets are read from /proc" },
  async (t) => {
    const dataDir = await makeDataFolder(t);
    const server = await startLiveKitServer({ dataDir });
    t.teardown(() => server.stop());
    const { pid } = JSON.parse(await readFile(join(dataDir, "livekit.process.json"), "utf8")) as { pid: number };
    const addresses = await boundAddresses(pid);
    t.ok(addresses.length >= 2, "signalling and media");
    t.same(new Set(addresses), new Set(["0100007F"]), "127.0.0.1 only");
  },
);

t.test(
  "media alone can be received at the machine's own address too, because Firefox sends nothing to loopback",
  { skip: outwardAddress === undefined ? "this machine has no address but loopback" : false },
  async (t) => {
    const dataDir = await makeDataFolder(t);
    const server = await startLiveKitServer({ dataDir, hasOwnAddress: true });
    t.teardown(() => server.stop());
    t.equal(new URL(server.url).hostname, "127.0.0.1");
    const config = await readFile(join(dataDir, "livekit.yaml"), "utf8");
    t.match(config, `includes: [127.0.0.0/8, ${outwardAddress}/32]`);
    t.notMatch(config, "node_ip:", "it would replace both addresses");
    t.match(await startLiveKitServer({ dataDir, hasOwnAddress: true }), { isAdopted: true });
    if (process.platform !== "linux") return;
    const { pid } = JSON.parse(await readFile(join(dataDir, "livekit.process.json"), "utf8")) as { pid: number };
    const own = Buffer.from(outwardAddress!.split(".").map(Number)).reverse().toString("hex").toUpperCase();
    t.same(new Set(await boundAddresses(pid, ["udp", "udp6"])), new Set(["0100007F", own]));
    t.same(new Set(await boundAddresses(pid, ["tcp", "tcp6"])), new Set(["0100007F"]), "signalling is not");
  },
);

t.test("services that start at the same time each get their own ports", async (t) => {
  const starts = Array.from({ length: 4 }, async () => {
    const server = await startLiveKitServer({ dataDir: await makeDataFolder(t) });
    t.teardown(() => server.stop());
    return server;
  });
  const servers = await Promise.all(starts);
  t.equal(new Set(servers.map((server) => server.url)).size, 4, "all have ports of their own");
  for (const server of servers) t.ok(await server.isRunning());
});
