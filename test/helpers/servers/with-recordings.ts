// A server with recordings for talking videos, good and bad ones.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { writeWav } from "../../../src/signal/audio/wav.ts";

const RATE_HZ = 16_000;
const ENDLESS_CHUNK = Buffer.alloc(1_000_000, 7);

export interface Recordings {
  /** `http://127.0.0.1:…` */
  baseUrl: string;
  /** How often each path was fetched. */
  fetched: Map<string, number>;
}

/** Paths: `/tone-<seconds>.wav?…` is a tone, `/words.txt` a text, `/endless.wav` never ends, `/silent` never answers,
 *  `/inside` redirects to `insideUrl`; all else is 404. */
export async function withRecordings<T>(insideUrl: string, work: (recordings: Recordings) => Promise<T>): Promise<T> {
  const fetched = new Map<string, number>();
  const server = createServer(({ url = "" }, response) => {
    fetched.set(url, (fetched.get(url) ?? 0) + 1);
    const seconds = /^\/tone-([\d.]+)\.wav/.exec(url)?.[1];
    if (seconds) response.end(toneOf(Number(seconds)));
    else if (url === "/words.txt") response.end("Not a recording. ".repeat(100));
    else if (url === "/endless.wav") writeEndlessly(response);
    else if (url === "/inside") response.writeHead(302, { location: insideUrl }).end();
    else if (url !== "/silent") response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, fetched });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function toneOf(seconds: number): Uint8Array {
  const samples = Int16Array.from({ length: seconds * RATE_HZ }, (_, index) => 8_000 * Math.sin(index / 12));
  return writeWav({ samples, sampleRateHz: RATE_HZ });
}

function writeEndlessly(response: ServerResponse): void {
  response.write(toneOf(1));
  const more = () => {
    while (!response.destroyed && response.write(ENDLESS_CHUNK));
  };
  response.on("drain", more);
  more();
}
