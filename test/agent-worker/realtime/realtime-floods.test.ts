// What a caller who floods the worker's realtime server makes it store and compute, at the rates at which earlier
// versions ran out of memory or sent every request.
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { WebSocket } from "ws";
import { AccountBudgets } from "../../../agent-worker/realtime/account-budgets.ts";
import { type RealtimeServerTest, withRealtimeServer } from "../../helpers/servers/with-realtime-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.setTimeout(120_000);

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely, and a wrong shape fails them anyway
type Event = Record<string, any>;

/** Requests of the burst of a call, and of each second after it; two more for what is rounded. */
const allowedOfCall = (seconds: number) => 5 + Math.ceil(seconds) + 2;
const allowedOfAccount = (seconds: number) => 20 + Math.ceil(5 * seconds) + 2;

async function open({ url, token }: RealtimeServerTest, session: object = {}) {
  const header = Buffer.from(JSON.stringify(session)).toString("base64url");
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}`, "x-service-session": header } });
  const events: Event[] = [];
  socket.on("message", (data) => events.push(JSON.parse(String(data))));
  await once(socket, "open");
  const send = (type: string, fields: object = {}) => socket.send(JSON.stringify({ type, ...fields }));
  const count = (type: string) => events.filter((event) => event.type === type).length;
  return { socket, events, send, count };
}

t.test("items of 6.4 MB are refused unread, and the worker's memory stays as it was", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const { socket, events, count } = await open(test);
    const part = { type: "input_text", text: "x".repeat(100_000) };
    const item = { type: "message", role: "user", content: Array.from({ length: 64 }, () => part) };
    const frame = JSON.stringify({ type: "conversation.item.create", item });
    const smaller = JSON.stringify({
      type: "conversation.item.create",
      item: { ...item, content: item.content.slice(0, 9) },
    });
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 12; index++) {
      socket.send(frame);
      socket.send(smaller);
    }
    await waitFor(() => count("error") + count("conversation.item.added") === 24, "an answer to each", 60_000);
    t.equal(count("conversation.item.added"), 1);
    const codes = new Set(events.filter(({ type }) => type === "error").map(({ error }) => error.code));
    t.same([...codes].sort(), ["conversation_full", "event_too_large"]);
    const grown = process.memoryUsage().heapUsed - before;
    t.ok(grown < 150e6, `${Math.round(grown / 1e6)} MB`);
    socket.close();
  });
});

t.test("an event of nothing but structure is refused unread, and another caller is answered meanwhile", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const greedy = await open(test);
    const fair = await open(test);
    const frame = `{"type":"session.update","session":${"[".repeat(2e6)}${"]".repeat(2e6)}}`;
    for (let index = 0; index < 20; index++) greedy.socket.send(frame);
    const startedMs = performance.now();
    fair.send("response.create", { response: { output_modalities: ["text"] } });
    await waitFor(() => fair.count("response.done") === 1, "an answer");
    t.ok(performance.now() - startedMs < 5_000, `${performance.now() - startedMs} ms`);
    await waitFor(() => greedy.count("error") === 20, "twenty errors", 60_000);
    t.equal(greedy.events.at(-1)?.error.code, "event_too_large");
    greedy.socket.close();
    fair.socket.close();
  });
});

t.test("500 answers that are begun and cancelled in a moment are five requests", async (t) => {
  await withRealtimeServer({ reply: () => ({ ending: "hang" }) }, async (test) => {
    const { socket, send, count } = await open(test);
    const startedMs = performance.now();
    for (let index = 0; index < 500; index++) {
      send("response.create", { response: { output_modalities: ["text"] } });
      // Some of them reach the model before they are cancelled.
      if (index % 5 === 0) await delay(5);
      send("response.cancel");
    }
    await waitFor(() => count("response.done") === 500, "500 ends", 60_000);
    const seconds = (performance.now() - startedMs) / 1000;
    t.ok(test.chat.requests.length <= allowedOfCall(seconds), `${test.chat.requests.length} in ${seconds} s`);
    await waitFor(() => test.chat.dropped === test.chat.requests.length, "no request left");
    socket.close();
  });
});

t.test("1,000 turns in writing are five requests, and the last one is answered", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const { socket, events, send, count } = await open(test, { mode: "text", user: "u-1" });
    const startedMs = performance.now();
    for (let turn = 0; turn < 1_000; turn++) {
      send("user.turn", { turn, text: "x".repeat(1_000) });
      if (turn % 50 === 0) await delay(50);
    }
    await waitFor(() => count("response.done") === 1_000, "1,000 ends", 60_000);
    const seconds = (performance.now() - startedMs) / 1000;
    t.match(events.at(-1), { turn: 999, status: "completed" });
    t.ok(test.chat.requests.length <= allowedOfCall(seconds), `${test.chat.requests.length} in ${seconds} s`);
    socket.close();
  });
});

t.test("the calls of an account share its budget, and those of another account have their own", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const callers = await Promise.all(Array.from({ length: 12 }, () => open(test, { mode: "text", user: "u-1" })));
    const startedMs = performance.now();
    for (let turn = 0; turn < 100; turn++) {
      for (const { send } of callers) send("user.turn", { turn, text: "Hello." });
      await delay(10);
    }
    const other = await open(test, { mode: "text", user: "u-2" });
    other.send("user.turn", { turn: 1, text: "Hello." });
    await waitFor(() => other.count("response.done") === 1, "an answer to the other account", 2_000);
    const seconds = (performance.now() - startedMs) / 1000;
    const sent = test.chat.requests.filter(({ body }) => body.user === "u-1").length;
    t.ok(sent <= allowedOfAccount(seconds), `${sent} in ${seconds} s`);
    for (const { socket } of [...callers, other]) socket.close();
  });
});

t.test("a new call of an account is no new burst", async (t) => {
  const budgets = new AccountBudgets();
  const first = budgets.hold("u-1");
  first.budget.take(20);
  first.release();
  first.release();
  t.equal(budgets.hold("u-2").budget.waitMs, 0);
  const second = budgets.hold("u-1");
  t.ok(second.budget.waitMs > 0);
  t.equal(budgets.hold("u-1").budget, second.budget);
});
