// Films and agents with sources that drip a byte a second.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type Flood, request } from "../flood.ts";

const DRIP_MS = 1_000;
const PAUSE_MS = 250;

export const floodDownloads: Flood = async (context) => {
  const { over, sent, target } = context;
  const server = createServer((incoming, response) => {
    const isAudio = incoming.url?.startsWith("/audio");
    response.writeHead(200, { "content-type": isAudio ? "audio/wav" : "image/jpeg", "content-length": "5000000" });
    const timer = setInterval(() => response.write("R"), DRIP_MS);
    response.once("close", () => clearInterval(timer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (let number = 0; !over.aborted; number++) {
      const input = { type: "audio", audio_url: `${base}/audio-${number}.wav` };
      sent("films", 0);
      await request(context, "POST", "/v1/video/generate", { model: "essence-2", agent_code: target.agentCode, input });
      sent("agents", 0);
      const image = `${base}/image-${number}.jpg`;
      await request(context, "POST", "/v1/agent/generate", { prompt: "A guide", model: "expression-1", image });
      await delay(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
};
