// A real name server over UDP on loopback, for the length of a callback. It answers, fails or stays silent as told.
import { createSocket } from "node:dgram";
import { once, setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

const TYPE_A = 1;
const RESPONSE_FLAGS = 0x8180;
/** Offset of the first question in a message. */
const HEADER_BYTES = 12;

/** What becomes of a question: addresses (IPv4) to answer, an error after a time, or silence. */
export type NameAnswer = { addresses: readonly string[] } | { rcode: 2 | 3; afterMs: number } | "silence";

export interface NameServer {
  /** `127.0.0.1:…` */
  address: string;
  /** Names in the questions that came, in order. */
  asked: string[];
}

export async function withNameServer<T>(
  answerTo: (name: string) => NameAnswer,
  work: (server: NameServer) => Promise<T>,
): Promise<T> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  socket.on("message", async (query, peer) => {
    const { name, type, endOffset } = readQuestion(query);
    asked.push(name);
    const answer = answerTo(name);
    if (answer === "silence") return;
    const rcode = "rcode" in answer ? answer.rcode : 0;
    const addresses = "addresses" in answer && type === TYPE_A ? answer.addresses : [];
    if ("afterMs" in answer) await delay(answer.afterMs, undefined, { signal: closing.signal }).catch(() => undefined);
    if (closing.signal.aborted) return;
    socket.send(replyTo(query.subarray(0, endOffset), rcode, addresses), peer.port, peer.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  try {
    return await work({ address: `127.0.0.1:${socket.address().port}`, asked });
  } finally {
    closing.abort();
    socket.close();
  }
}

function readQuestion(query: Buffer): { name: string; type: number; endOffset: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]; length > 0; length = query[at]) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), endOffset: at + 5 };
}

/** The question with the given result. Each address is named by a pointer to the question's name. */
function replyTo(question: Buffer, rcode: number, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(RESPONSE_FLAGS | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([header, question.subarray(HEADER_BYTES), ...records]);
}
