// How many sessions a worker's GPU takes: by its time and memory, as measured while sessions run.
import t from "tap";
import { GpuCapacity } from "../../../agent-worker/capacity/gpu-capacity.ts";
import { GpuLoad, type GpuState } from "../../../agent-worker/capacity/gpu-load.ts";
import type { JobListener, JobSource } from "../../../agent-worker/service/job-source.ts";
import { AvatarWorker } from "../../../agent-worker/supervisor/avatar-worker.ts";
import { createLogger } from "../../../program/log.ts";
import type { NvidiaCard } from "../../../src/signal/inference/nvidia-smi.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const GIGABYTE = 1024 ** 3;

function cardOf(state: Partial<GpuState> = {}) {
  const card = { freeShare: 1, freeMemoryBytes: 80 * GIGABYTE, ...state };
  return { card, gpu: { latest: () => ({ ...card }) } };
}

t.test("a card has as many free slots as its time and memory allow, by what running sessions take", async (t) => {
  const { card, gpu } = cardOf();
  const capacity = new GpuCapacity(gpu);
  const unknown = capacity.freeSlots(0, 0);
  t.equal(unknown, 9, "a tenth of the card each, until one has been measured");
  t.equal(capacity.freeSlots(3, 3), unknown - 3, "sessions that have just begun take slots before they are measured");
  Object.assign(card, { freeShare: 0.8, freeMemoryBytes: 76 * GIGABYTE });
  t.equal(capacity.freeSlots(4, 0), 14, "four take a fifth of its time: .05 each");
  Object.assign(card, { freeShare: 0.1 });
  t.equal(capacity.freeSlots(4, 0), 0, "the last tenth is kept");
  Object.assign(card, { freeShare: 0.8, freeMemoryBytes: 1.5 * GIGABYTE });
  t.equal(capacity.freeSlots(4, 0), 0, "no memory is left for another one");
});

t.test("other programs on the card are not counted as sessions", async (t) => {
  const { card, gpu } = cardOf({ freeShare: 0.5, freeMemoryBytes: 40 * GIGABYTE });
  const capacity = new GpuCapacity(gpu);
  t.equal(capacity.freeSlots(0, 0), 4);
  Object.assign(card, { freeShare: 0.4, freeMemoryBytes: 39 * GIGABYTE });
  t.equal(capacity.freeSlots(2, 0), 6, "two sessions take .1");
});

t.test("a card that hides how busy it is is bounded by memory, an unknown one by the processor alone", async (t) => {
  t.equal(new GpuCapacity(cardOf({ freeShare: null, freeMemoryBytes: 6 * GIGABYTE }).gpu).freeSlots(0, 0), 10);
  t.equal(new GpuCapacity({ latest: () => null }).freeSlots(2, 0), Number.POSITIVE_INFINITY);
});

t.test("the card that renders is the first visible one, and a driver that fails makes it unknown", async (t) => {
  const cards: NvidiaCard[] = [0, 1].map((index) => ({
    index,
    uuid: `GPU-${index}`,
    name: "a card",
    driver: "550.54",
    memoryBytes: 8 * GIGABYTE,
    freeMemoryBytes: (index + 1) * GIGABYTE,
    busyShare: 0.25,
  }));
  for (const [visibleDevices, freeMemoryBytes] of [
    [undefined, GIGABYTE],
    ["1,0", 2 * GIGABYTE],
    ["GPU-1", 2 * GIGABYTE],
  ] as const) {
    const load = new GpuLoad({ visibleDevices, list: async () => cards });
    t.equal(load.latest(), null);
    load.start();
    t.same(await waitFor(() => load.latest(), "a sample"), { freeShare: 0.75, freeMemoryBytes });
    load.close();
  }
  const missing = new GpuLoad({ list: () => Promise.reject(new Error("no nvidia-smi")) });
  missing.start();
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(missing.latest(), null);
  missing.close();
});

t.test("a worker takes sessions for its GPU up to the card's slots, and others up to the processor's", async (t) => {
  const sources: { listener: JobListener; ended: string[] }[] = [];
  const openJobs = (listener: JobListener): JobSource => {
    const source = { listener, ended: [] as string[] };
    sources.push(source);
    return {
      isReady: true,
      start: () => undefined,
      reportLoad: () => undefined,
      reportEnd: (jobId) => void source.ended.push(jobId),
      close: async () => undefined,
    };
  };
  const unused = () => undefined;
  const { card, gpu } = cardOf({ freeShare: 0.35 });
  const worker = new AvatarWorker({
    openJobs,
    gpu: { card: gpu, rendersAll: false, openJobs },
    maxSessions: 100,
    isMeasured: true,
    environment: {},
    llm: { find: async () => null, findAgain: async () => null },
    providers: ["cpu", "cuda"],
    onEvent: unused,
    onChange: unused,
    logger: createLogger({ level: "silent", name: "test" }),
  });
  const [all, onGpu] = sources;
  const offer = ({ listener }: (typeof sources)[number], id: string, provider?: "cpu" | "cuda", isRunning = false) => {
    const metadata = { avatar_session_id: id, runtime_token: "t", api_url: "http://127.0.0.1:9", provider };
    return listener.onOffer({ id, metadata: JSON.stringify({ ...metadata, is_running: isRunning }) });
  };
  t.ok(worker.admission.capacity >= 4, "this test needs a processor with some free slots");
  t.equal(worker.admission.gpuCapacity, 2);
  t.ok(onGpu.listener.load().load > all.listener.load().load, "there are fewer free slots on the card");
  t.ok(await offer(onGpu, "a", "cuda"));
  t.ok(await offer(onGpu, "b", "cuda"));
  t.notOk(await offer(onGpu, "c", "cuda"), "the card is full");
  t.notOk(await offer(all, "c", "cuda"), "whatever the source");
  t.ok(await offer(onGpu, "d", "cuda", true), "a session that ran before is taken all the same");
  t.ok(await offer(all, "e"), "the processor has capacity");
  onGpu.listener.onWithdrawn("d");
  onGpu.listener.onWithdrawn("b");
  t.same(onGpu.ended, ["d", "b"], "its own source is told");
  t.same(all.ended, []);
  t.ok(await offer(onGpu, "c", "cuda"), "a slot is free again");
  Object.assign(card, { freeMemoryBytes: 0 });
  t.equal(worker.admission.gpuCapacity, 2, "no memory, no further session");
  await worker.close();
  t.same([...onGpu.ended].sort(), ["a", "b", "c", "d"]);
  t.same(all.ended, ["e"]);
});
