// One caller's large events do not hold the relay's thread, on which all calls run.
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import type { WebSocket } from "ws";
import { withRelay } from "../helpers/service/with-relay.ts";
import { waitFor } from "../helpers/wait-for.ts";

t.setTimeout(120_000);

/** An image with a line of text: it has an escape, so it is judged. */
function imageEvent(index: number, bytes: number): string {
  const content = [
    { type: "input_text", text: `What is\nthis, ${index}?` },
    { type: "input_image", image_url: `data:image/png;base64,${"A".repeat(bytes)}` },
  ];
  return JSON.stringify({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
}

t.test("judged events arrive whole and in order, at a megabyte a second after the first eight", async (t) => {
  const received: string[] = [];
  const onSocket = (socket: WebSocket) => {
    socket.send('{"type":"session.created"}');
    socket.on("message", (data) => received.push(String(data)));
  };
  await withRelay({ onSocket }, async ({ api, connect }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const client = await connect({ secret });
    const events = Array.from({ length: 5 }, (_, index) => imageEvent(index, 3_000_000));
    const startedMs = performance.now();
    for (const event of events) client.socket.send(event);
    await waitFor(() => received.length === 5, "all events", 60_000);
    t.ok(performance.now() - startedMs > 3_000, `${performance.now() - startedMs} ms`);
    t.ok(
      received.every((text, index) => text === events[index]),
      "unchanged",
    );
  });
});

t.test("plain audio is neither judged nor slowed", async (t) => {
  let bytes = 0;
  const onSocket = (socket: WebSocket) => {
    socket.send('{"type":"session.created"}');
    socket.on("message", (data) => {
      bytes += (data as Buffer).length;
    });
  };
  await withRelay({ onSocket }, async ({ api, connect }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const client = await connect({ secret });
    const event = JSON.stringify({ type: "input_audio_buffer.append", audio: "A".repeat(4_000_000) });
    const startedMs = performance.now();
    for (let index = 0; index < 10; index++) client.socket.send(event);
    await waitFor(() => bytes === 10 * event.length, "forty megabytes", 60_000);
    t.ok(performance.now() - startedMs < 20_000, `${performance.now() - startedMs} ms`);
  });
});

t.test("structure that takes long to judge is refused, and other calls go on meanwhile", async (t) => {
  await withRelay({}, async ({ api, connect }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const greedy = await connect({ secret });
    const fair = await connect({ secret });
    const event = `{"type":"session.update","x":${"[".repeat(7e6)}${"]".repeat(7e6)}}`;
    const startedMs = performance.now();
    for (let index = 0; index < 6; index++) greedy.socket.send(event);
    let isOver = false;
    const longest = longestRoundTrip(fair.socket, () => isOver);
    await waitFor(() => greedy.events.length >= 3, "refusals");
    const threeMs = performance.now() - startedMs;
    const error = await greedy.event("error");
    t.match(error, { error: { type: "invalid_request_error", code: "event_too_large", message: /64 KiB/ } });
    isOver = true;
    const longestMs = await longest;
    t.ok(longestMs < Math.max(1_500, threeMs / 2), `${longestMs} ms of ${threeMs} ms for three`);
    t.equal(greedy.socket.readyState, greedy.socket.OPEN, "the call goes on");
  });
});

/** Of an event and its echo, until `isOver`. */
async function longestRoundTrip(socket: WebSocket, isOver: () => boolean): Promise<number> {
  let longestMs = 0;
  while (!isOver()) {
    const sentMs = performance.now();
    const echo = new Promise((resolve) => socket.once("message", resolve));
    socket.send('{"type":"response.cancel"}');
    await echo;
    longestMs = Math.max(longestMs, performance.now() - sentMs);
    await delay(10);
  }
  return longestMs;
}
