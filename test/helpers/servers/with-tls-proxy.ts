// A proxy with TLS before a server of this machine, as operators have one.
import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { pipeline } from "node:stream";
import { createServer } from "node:tls";

const FOLDER = new URL("../../fixtures/tls/", import.meta.url);
const [cert, key] = ["cert.pem", "key.pem"].map((name) => readFileSync(new URL(name, FOLDER)));

export interface TlsProxy {
  /** `https://localhost:…` */
  baseUrl: string;
  /** What clients have to trust. */
  ca: Buffer;
}

/** Runs `work` with a proxy that passes all bytes on to `baseUrl`. */
export async function withTlsProxy<T>(baseUrl: string, work: (proxy: TlsProxy) => Promise<T>): Promise<T> {
  const { port, hostname } = new URL(baseUrl);
  const server = createServer({ cert, key, ALPNProtocols: ["http/1.1"] }, (socket) => {
    const inner = connect(Number(port), hostname);
    pipeline(socket, inner, socket, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work({ baseUrl: `https://localhost:${(server.address() as AddressInfo).port}`, ca: cert });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
