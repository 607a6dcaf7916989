// How LiveKit shares jobs between workers of different capacity, on real nodes that share them through Redis.
import { AgentDispatchClient } from "livekit-server-sdk";
import t from "tap";
import { workerLoad } from "../../../agent-worker/capacity/worker-load.ts";
import { WorkerConnection } from "../../../agent-worker/service/worker-connection.ts";
import { hasRedis, REDIS_MISSING } from "../../../lab/bench/fleet/redis-server.ts";
import { createLogger } from "../../../program/log.ts";
import { type TestNodes, withLiveKitNodes } from "../../helpers/livekit/with-livekit-nodes.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

interface Placement {
  most: number;
  /** Index of the node that it registers at. */
  node: number;
  /** Default: `most`. */
  limit?: number;
}

interface Worker {
  connection: WorkerConnection;
  held: number;
}

t.test(
  "workers share sessions in proportion to their measured capacity",
  { skip: (await hasRedis()) ? false : REDIS_MISSING },
  async (t) => {
    await withLiveKitNodes(2, async (test) => {
      await t.test("three workers on two nodes", async (t) => {
        const workers = [
          { most: 24, node: 0 },
          { most: 12, node: 0 },
          { most: 12, node: 1 },
        ];
        const shares = await dispatch(test, workers, 24);
        t.comment(`shares ${shares}`);
        // Even shares would be 12, 6 and 6. In 20,000 simulated runs, none was further away than 4.
        t.ok(Math.abs(shares[0] - 12) <= 4, `${shares[0]} of 24 go to the worker with half of the capacity`);
        t.ok(Math.abs(shares[1] - 6) <= 4 && Math.abs(shares[2] - 6) <= 4, `${shares[1]} and ${shares[2]}`);
      });

      await t.test("a strong worker and a weak one, each on its node, until both are full", async (t) => {
        const workers = [
          { most: 9, node: 0 },
          { most: 3, node: 1 },
        ];
        t.same(await dispatch(test, workers, 4), [3, 1], "no chance is involved between nodes");
        t.same(await dispatch(test, workers, 12), [9, 3], "the last slot of each is used");
      });

      await t.test("a worker that measures no free slot gets a session only if there is no other", async (t) => {
        const full = { most: 0, limit: 2, node: 0 };
        t.same(await dispatch(test, [full, { most: 3, node: 1 }], 3), [0, 3]);
        t.same(await dispatch(test, [full], 2), [2], "it is offered sessions that lost their worker");
      });
    });
  },
);

/** Dispatches `count` jobs, one after the other, and returns how many each worker got. */
async function dispatch(test: TestNodes, placements: readonly Placement[], count: number): Promise<number[]> {
  const { apiKey, apiSecret } = test;
  const dispatchName = `placement-${crypto.randomUUID()}`;
  const workers: Worker[] = [];
  try {
    for (const { most, node, limit = most } of placements) {
      const worker = { held: 0 } as Worker;
      worker.connection = new WorkerConnection({
        url: test.nodes[node].url,
        key: { apiKey, apiSecret },
        dispatchName,
        participant: { identity: "worker-of-a-test", name: "Avatar" },
        listener: {
          load: () => ({ load: workerLoad({ held: worker.held, most, limit }), jobCount: worker.held }),
          onReady: () => undefined,
          onOffer: async () => {
            worker.held += 1;
            return true;
          },
          onAssigned: () => undefined,
          onWithdrawn: () => undefined,
          onTerminated: () => undefined,
        },
        logger,
      });
      workers.push(worker);
      worker.connection.start();
    }
    await waitFor(() => workers.every(({ connection }) => connection.isReady), "all workers are registered");
    const dispatcher = new AgentDispatchClient(test.nodes[0].url.replace("ws", "http"), apiKey, apiSecret);
    const held = () => workers.reduce((sum, worker) => sum + worker.held, 0);
    for (let index = 0; index < count; index++) {
      await dispatcher.createDispatch(`${dispatchName}-${index}`, dispatchName);
      await waitFor(() => held() > index, `job ${index + 1}`);
    }
    return workers.map((worker) => worker.held);
  } finally {
    await Promise.all(workers.map(({ connection }) => connection.close()));
  }
}
