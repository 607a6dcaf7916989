// What a worker takes of sessions that viewers render, and when they may stream.
import t from "tap";
import type { JobListener } from "../../../agent-worker/service/job-source.ts";
import { AvatarWorker } from "../../../agent-worker/supervisor/avatar-worker.ts";
import { createLogger } from "../../../program/log.ts";

function workerOf(maxSessions: number) {
  const listeners: JobListener[] = [];
  const unused = () => undefined;
  const worker = new AvatarWorker({
    openJobs(listener) {
      listeners.push(listener);
      return {
        isReady: true,
        start: unused,
        reportLoad: unused,
        reportEnd: unused,
        close: async () => undefined,
      };
    },
    maxSessions,
    isMeasured: false,
    environment: {},
    llm: { find: async () => null, findAgain: async () => null },
    providers: ["cpu"],
    onEvent: unused,
    onChange: unused,
    logger: createLogger({ level: "silent", name: "test" }),
  });
  const [listener] = listeners;
  const offer = (id: string, viewersRender: boolean) => {
    const metadata = { avatar_session_id: `cs_${id}`, runtime_token: "t", api_url: "http://127.0.0.1:9" };
    return listener.onOffer({ id, metadata: JSON.stringify({ ...metadata, viewers_render: viewersRender }) });
  };
  return { worker, listener, offer };
}

t.test("a worker takes six sessions that viewers render for each slot", async (t) => {
  const { worker, listener, offer } = workerOf(2);
  t.match([worker.admission.capacity, worker.admission.lightCapacity], [2, 12]);
  t.ok(await offer("streamed", false));
  for (let light = 0; light < 6; light++) t.ok(await offer(`light ${light}`, true));
  t.notOk(await offer("one too many", true));
  t.equal(listener.load().load, 1, "nothing is offered any more");
  t.match(
    [
      worker.admission.sessionCount,
      worker.admission.capacity,
      worker.admission.lightCount,
      worker.admission.lightCapacity,
    ],
    [1, 1, 6, 6],
  );
  listener.onWithdrawn("light 3");
  t.ok(listener.load().load < 0.7, "one of them is");
  t.notOk(await offer("streamed too", false), "five take a slot, too");
  t.ok(await offer("another", true));
  await worker.close();
});

t.test("a light session that is alone may stream, whatever the number of slots", async (t) => {
  const { worker, offer } = workerOf(1);
  t.ok(await offer("a", true));
  t.match([worker.admission.capacity, worker.admission.lightCount], [0, 1]);
  t.equal(worker.admission.admitVideo("cs_a", true), true, "its own slot is free for the stream");
  t.ok(worker.admission.admitVideo("cs_a", true));
  worker.admission.admitVideo("cs_a", false);
  t.ok(await offer("b", true));
  t.equal(worker.admission.admitVideo("cs_a", true), false, "not beside another");
  t.match([worker.admission.lightCount, worker.admission.lightCapacity], [2, 6], "and it stays what it is");
  await worker.close();
});

t.test("of several that ask to stream at once, as many may as there are slots", async (t) => {
  const { worker, listener, offer } = workerOf(3);
  for (const id of ["a", "b", "c", "d"]) t.ok(await offer(id, true));
  t.match([worker.admission.capacity, worker.admission.lightCount], [2, 4]);
  t.same(
    ["a", "b", "c", "d"].map((id) => worker.admission.admitVideo(`cs_${id}`, true)),
    [true, true, false, false],
  );
  t.equal(worker.admission.admitVideo("cs_a", true), true, "it has its slot");
  t.match(
    [worker.admission.sessionCount, worker.admission.capacity, worker.admission.lightCount],
    [0, 0, 4],
    "they count as they began",
  );
  t.notOk(await offer("e", false), "no slot is left for a stream");
  worker.admission.admitVideo("cs_a", false);
  worker.admission.admitVideo("cs_a", false);
  t.equal(worker.admission.capacity, 1);
  t.equal(worker.admission.admitVideo("cs_c", true), true, "once the first has stopped");
  listener.onWithdrawn("c");
  t.match([worker.admission.capacity, worker.admission.lightCount], [1, 3], "a session that ends leaves its slot");
  t.ok(await offer("e", false));
  t.equal(worker.admission.admitVideo("cs_e", true), true, "it streams anyway");
  await worker.close();
});
