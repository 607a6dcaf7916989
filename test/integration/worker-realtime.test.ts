// A worker's program runs realtime sessions, counts them, and sends their clients elsewhere when it stops.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import t from "tap";
import { WebSocket } from "ws";
import { findRealtimeServer } from "../../api/sessions/workers/worker-registry.ts";
import { mintRealtimeToken, mintWorkerToken } from "../../shared/worker-token.ts";
import { withOwnLiveKit } from "../helpers/livekit/with-own-livekit.ts";
import { withApi } from "../helpers/service/with-api.ts";
import { withWorker } from "../helpers/service/with-worker.ts";
import { waitFor } from "../helpers/wait-for.ts";

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
            const server = await waitFor(() => findRealtimeServer(database, new Date()), "the realtime server");
            const connect = (token: string): WebSocket =>
              new WebSocket(server.url, { headers: { authorization: `Bearer ${token}` } });
            const others = [
              await mintWorkerToken(livekit, { workerId: server.workerId, realtimeUrl: server.url }),
              await mintRealtimeToken(livekit, { ...server, workerId: randomUUID() }),
              await mintRealtimeToken(livekit, { ...server, url: server.url.replace("127.0.0.1", "localhost") }),
            ];
            for (const token of others) {
              const [error] = await once(connect(token), "error");
              t.match(error.message, /401/, "a token of another kind, another worker or another address");
            }
            const socket = connect(await mintRealtimeToken(livekit, server));
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
