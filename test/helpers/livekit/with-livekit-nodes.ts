// Several LiveKit nodes that share rooms through Redis, for the length of a callback.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LiveKitNode } from "../../../lab/bench/fleet/livekit-node.ts";
import { RedisServer } from "../../../lab/bench/fleet/redis-server.ts";

export interface TestNodes {
  nodes: readonly LiveKitNode[];
  redis: RedisServer;
  apiKey: string;
  apiSecret: string;
}

/** Starts Redis and `count` nodes, and stops them afterwards. Needs `redis-server`. */
export async function withLiveKitNodes<T>(count: number, work: (test: TestNodes) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "open-avatar-service-nodes-"));
  const keys = { apiKey: "test", apiSecret: `${randomUUID()}${randomUUID()}` };
  const environment = { PATH: process.env.PATH };
  const redis = await RedisServer.start({ folder, environment });
  const nodes: LiveKitNode[] = [];
  try {
    for (let index = 0; index < count; index++) {
      nodes.push(await LiveKitNode.start({ index, folder, redisPort: redis.port, environment, ...keys }));
    }
    return await work({ nodes, redis, ...keys });
  } finally {
    await Promise.all([...nodes.map((node) => node.kill()), redis.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}
