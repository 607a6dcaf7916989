// Finding the processes of a service: from tables as Linux writes them, and for real.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import t from "tap";
import { treeOf } from "../../../../lab/bench/cpu-time.ts";
import {
  chooseServiceProcesses,
  findServiceProcesses,
  partsOf,
} from "../../../../lab/bench/service/find-service-processes.ts";
import { readPssMb } from "../../../../lab/bench/service/memory.ts";
import { parseTcpTable, type TcpSocket } from "../../../../lab/bench/service/tcp-sockets.ts";

const [START, API, RELAY, WORKER, SESSION, WAITING, LIVEKIT, POSTGRES, BACKEND, BENCH, STRANGER] = [
  10, 20, 25, 30, 31, 32, 40, 50, 51, 60, 61,
];
const process_ = (pid: number, parentPid: number) => ({ pid, parentPid, cpuMs: 0 });
const processes = [
  process_(START, 1),
  process_(API, START),
  process_(RELAY, START),
  process_(WORKER, START),
  process_(SESSION, WORKER),
  process_(WAITING, WORKER),
  process_(LIVEKIT, 1),
  process_(POSTGRES, 1),
  process_(BACKEND, POSTGRES),
  process_(BENCH, 1),
  process_(STRANGER, BENCH),
];
const listens = (localPort: number, pid: number): TcpSocket => ({
  localPort,
  remotePort: 0,
  isListening: true,
  pids: [pid],
});
const connects = (remotePort: number, pid: number): TcpSocket => ({
  localPort: 50_000 + pid,
  remotePort,
  isListening: false,
  pids: [pid],
});
const sockets = [
  listens(8080, API),
  listens(8081, API),
  connects(8081, RELAY),
  listens(7880, LIVEKIT),
  listens(5432, POSTGRES),
  connects(7880, API),
  connects(7880, WORKER),
  connects(7880, SESSION),
  connects(7880, START),
  connects(5432, API),
  connects(8080, WORKER),
  connects(8080, BENCH),
];
const addresses = { apiUrl: "http://127.0.0.1:8080", livekitUrl: "ws://127.0.0.1:7880" };
const nameOf = (pid: number) => (pid === POSTGRES ? "postgres" : "node");
const expected = { start: START, api: API, relay: RELAY, workers: [WORKER], livekit: LIVEKIT, postgres: POSTGRES };

t.test("a service that one command started is found from its two addresses", async (t) => {
  const found = chooseServiceProcesses({ addresses, sockets, processes, nameOf });
  t.same(found, expected);
  const pidsOf = (part: keyof ReturnType<typeof partsOf>) => partsOf(processes, found)[part].map(({ pid }) => pid);
  t.same(pidsOf("service"), [WORKER, SESSION, WAITING]);
  t.same(pidsOf("postgres"), [POSTGRES, BACKEND]);
  t.same(pidsOf("relay"), [RELAY]);
  t.same(pidsOf("start"), [START]);
});

t.test("the api is found behind the front of the start command", async (t) => {
  const behind = sockets.map((socket) => (socket.localPort === 8080 ? listens(8080, START) : socket));
  t.same(chooseServiceProcesses({ addresses, sockets: behind, processes, nameOf }), expected);
});

t.test("participants of others are no workers", async (t) => {
  const crowded = [...sockets, connects(7880, STRANGER)];
  t.same(chooseServiceProcesses({ addresses, sockets: crowded, processes, strangers: [STRANGER], nameOf }), expected);
});

t.test("two workers and an api that were started apart are found without a common parent", async (t) => {
  const apart = processes.map((each) => (each.parentPid === START ? { ...each, parentPid: 1 } : each));
  const second = [...apart, process_(70, 1)];
  const found = chooseServiceProcesses({
    addresses,
    processes: second,
    nameOf,
    sockets: [...sockets.filter(({ pids }) => !pids.includes(START)), connects(7880, 70)],
  });
  t.match(found, { api: API, workers: [WORKER, 70] });
});

t.test("without a listener on the api's port there is nothing to measure", async (t) => {
  t.throws(() => chooseServiceProcesses({ addresses, sockets: [], processes, nameOf }), /no process .* listens/);
});

t.test("a tree leaves out what it is told to", async (t) => {
  t.same(
    treeOf(processes, [START], [API]).map(({ pid }) => pid),
    [START, RELAY, WORKER, SESSION, WAITING],
  );
});

t.test("the table of /proc/net/tcp is read: ports, states, owners", async (t) => {
  const table = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0 100 0 0 10 0",
    "   1: 0100007F:C350 0100007F:1EC8 01 00000000:00000000 00:00000000 00000000     0        0 222 1 0 100 0 0 10 0",
    "   2: 0100007F:C351 0100007F:1EC8 06 00000000:00000000 00:00000000 00000000     0        0 0 1 0 100 0 0 10 0",
  ].join("\n");
  t.same(parseTcpTable(table, new Map([["222", [7, 8]]])), [
    { localPort: 8080, remotePort: 0, isListening: true, pids: [] },
    { localPort: 50_000, remotePort: 7880, isListening: false, pids: [7, 8] },
  ]);
});

t.test("on this machine, a listening process is found and its memory read", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
  t.teardown(() => child.kill("SIGKILL"));
  const { port } = server.address() as { port: number };
  const found = await findServiceProcesses({ apiUrl: `http://127.0.0.1:${port}`, livekitUrl: "ws://127.0.0.1:1" });
  t.match(found, { api: process.pid, workers: [], livekit: null });
  t.ok((await readPssMb([process.pid])) > 5, "this process has some memory");
  t.equal(await readPssMb([2 ** 22 + 1]), 0, "a process that does not exist has none");
});
