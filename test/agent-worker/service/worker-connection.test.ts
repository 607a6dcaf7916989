// The worker protocol, against a real LiveKit server.
import { AgentDispatchClient } from "livekit-server-sdk";
import t from "tap";
import type { AssignedJob } from "../../../agent-worker/service/job-source.ts";
import { WorkerConnection, type WorkerConnectionOptions } from "../../../agent-worker/service/worker-connection.ts";
import { createLogger } from "../../../program/log.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

interface Worker {
  connection: WorkerConnection;
  offers: string[];
  assigned: AssignedJob[];
  terminated: string[];
}

t.test("a worker is offered jobs, accepts or rejects them, and learns of their end", async (t) => {
  await withLiveKit(async ({ url, apiKey, apiSecret, dispatchName: sharedName, roomName }) => {
    const dispatchName = `${sharedName}-${roomName}`;
    const address = url.replace(/^ws/, "http");
    const dispatcher = new AgentDispatchClient(address, apiKey, apiSecret);
    const connections: WorkerConnection[] = [];
    t.teardown(() => Promise.all(connections.map((connection) => connection.close())));
    const connect = async (accepts: boolean, load = 0, key = { apiKey, apiSecret }): Promise<Worker> => {
      const worker = { offers: [] as string[], assigned: [] as AssignedJob[], terminated: [] as string[] };
      const options: WorkerConnectionOptions = {
        url: address,
        key,
        dispatchName,
        participant: { identity: "worker-of-a-test", name: "Avatar" },
        listener: {
          load: () => ({ load, jobCount: 0 }),
          onReady: () => undefined,
          onOffer: async ({ metadata }) => {
            worker.offers.push(metadata);
            return accepts;
          },
          onAssigned: (job) => worker.assigned.push(job),
          onWithdrawn: () => undefined,
          onTerminated: (jobId) => worker.terminated.push(jobId),
        },
        logger,
      };
      const connection = new WorkerConnection(options);
      connections.push(connection);
      connection.start();
      return { connection, ...worker };
    };
    const stranger = await connect(true, 0, { apiKey, apiSecret: "of another server, which is refused" });
    const [full, unwilling, willing] = [await connect(true, 1), await connect(false), await connect(true)];
    const registered = () => [full, unwilling, willing].every(({ connection }) => connection.isReady);
    await waitFor(registered, "all are registered");
    t.notOk(stranger.connection.isReady);

    const dispatch = await dispatcher.createDispatch(roomName, dispatchName, { metadata: "first" });
    await waitFor(() => willing.assigned.length === 1, "the job");
    const [job] = willing.assigned;
    t.match(job, { metadata: "first", controlRoom: { url: /^(ws|http)/, token: /^ey/ } });
    t.same(full.offers, [], "a full worker is offered nothing");
    t.same(unwilling.assigned, [], "a rejected job goes to another worker");

    await dispatcher.deleteDispatch(dispatch.id, roomName);
    await waitFor(() => willing.terminated.includes(job.id), "the end of the job");

    await unwilling.connection.close();
    t.equal(unwilling.connection.isReady, false);
    await unwilling.connection.close();
  });
});
