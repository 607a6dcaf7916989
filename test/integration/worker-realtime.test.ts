// A worker's program serves realtime sessions, counts them, and sends their clients elsewhere when it stops.
import { once } from "node:events";
import t from "tap";
import { WebSocket } from "ws";
import { findRealtimeServer } from "../../api/sessions/workers/worker-registry.ts";
import { mintWorkerToken } from "../../shared/worker-token.ts";
import { waitFor } from "../helpers/wait-for.ts";
import { withApi } from "../helpers/with-api.ts";
import { withOwnLiveKit } from "../helpers/with-own-livekit.ts";
import { withWorker } from "../helpers/with-worker.ts";

t.setTimeout(120_000);

t.test(
  "the api knows a worker's realtime server, which answers and closes with 1013 when the worker stops",
  async (t) => {
    await withOwnLiveKit((livekit) =>
      withApi(
        async (api) => {
          const environment = { AVATAR_API_URL: api.baseUrl, AVATAR_VOICE: "formant", AVATAR_FIND_MODEL: "0" };
          await withWorker({ livekit, environment }, async (worker) => {
            const { database } = api.services;
            const url = await waitFor(() => findRealtimeServer(database, new Date()), "the realtime server");
            const authorization = `Bearer ${await mintWorkerToken(livekit)}`;
            const socket = new WebSocket(url, { headers: { authorization } });
            const types: string[] = [];
            socket.on("message", (data) => types.push(JSON.parse(String(data)).type));
            await once(socket, "open");
            socket.send(JSON.stringify({ type: "response.create" }));
            await waitFor(() => types.includes("response.done"), "an answer");
            t.ok(types.includes("response.output_audio.delta"), "aloud");
            const metrics = await (await fetch(`${worker.baseUrl}/metrics`)).text();
            t.match(metrics, /avatar_worker_realtime_sessions 1\n/);
            const closed = once(socket, "close");
            await worker.stop("SIGTERM");
            t.equal((await closed)[0], 1013);
            t.equal(await findRealtimeServer(database, new Date()), null);
          });
        },
        { livekit },
      ),
    );
  },
);
