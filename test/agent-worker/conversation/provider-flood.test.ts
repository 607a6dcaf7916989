// An account's own realtime server that sends as fast as it can: what of it reaches the room, the api and the worker.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Room } from "@livekit/rtc-node";
import t from "tap";
import { type WebSocket, WebSocketServer } from "ws";
import { AnsweringModel } from "../../../agent-worker/conversation/answering-model.ts";
import { applyChange } from "../../../agent-worker/conversation/reports/checkpoint-change.ts";
import type { ConversationCheckpoint } from "../../../agent-worker/conversation/reports/conversation-checkpoint.ts";
import {
  RoomConversation,
  type RoomConversationOptions,
} from "../../../agent-worker/conversation/room-conversation.ts";
import { connectProvider } from "../../../agent-worker/providers/provider-realtime.ts";
import { createLogger } from "../../../program/log.ts";
import { createAddressGuard } from "../../../program/outgoing/address-guard.ts";
import type { JobDescription } from "../../../shared/runtime-api.ts";
import { TOPIC_TRANSCRIPTION } from "../../../shared/wire-names.ts";
import { settled } from "../../helpers/conversation/scripted-conversation.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { ScriptedAudio, ScriptedRemote } from "../../helpers/servers/scripted-remote.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** As measured before there was a bound: 257 MB in 3 s. */
const MESSAGES = 12_800;
const TRANSCRIPT = "words and words ".repeat(1_250);
const FLOOD_MS = 3_000;
const TRANSCRIPTION = "conversation.item.input_audio_transcription";

/** Sends messages as fast as they are read, until its time is over. Returns how many went out. */
async function flood(socket: WebSocket): Promise<number> {
  const send = (event: object) => socket.send(JSON.stringify(event));
  send({ type: "session.created", session: { type: "realtime" } });
  await once(socket, "message");
  send({ type: "session.updated", session: { type: "realtime" } });
  const untilMs = performance.now() + FLOOD_MS;
  let count = 0;
  while (count < MESSAGES && performance.now() < untilMs && socket.readyState === socket.OPEN) {
    if (socket.bufferedAmount > 4_000_000) {
      await delay(1);
      continue;
    }
    const item_id = `item_${++count}`;
    send({ type: "input_audio_buffer.committed", item_id });
    send({ type: `${TRANSCRIPTION}.delta`, item_id, delta: TRANSCRIPT.slice(0, 1_000) });
    send({ type: `${TRANSCRIPTION}.completed`, item_id, transcript: TRANSCRIPT });
    if (count % 64 === 0) await delay(1);
  }
  return count;
}

t.test("a flood of 20,000-character messages is bounded on its way to the api, the worker and the room", async (t) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  let flooded: Promise<number> | undefined;
  server.on("connection", (socket) => {
    flooded = flood(socket);
  });
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  await withLiveKit(async (livekit) => {
    const rooms = { avatar: new Room(), ada: new Room() };
    for (const [identity, room] of Object.entries(rooms)) {
      await room.connect(livekit.url, await livekit.mintToken(identity), { autoSubscribe: false, dynacast: false });
    }
    let shown = 0;
    rooms.ada.registerTextStreamHandler(TOPIC_TRANSCRIPTION, async (reader) => {
      shown += 1;
      // A stream that is open at the end of the test breaks off.
      await reader.readAll().catch(() => undefined);
    });
    let reported = 0;
    let checkpoints = 0;
    let checkpointBytes = 0;
    let known: ConversationCheckpoint | undefined;
    const logger = createLogger({ level: "silent", name: "test" });
    const conversation = new RoomConversation({
      room: rooms.avatar,
      avatar: {
        listens: () => undefined,
        hears: () => undefined,
        thinks: () => undefined,
        play: () => new ScriptedAudio(),
      } as never,
      echo: { clean: (samples) => samples, hasEcho: false },
      attributes: undefined,
      api: {
        searchKnowledge: async () => [],
        reportMessages: async ({ messages }) => {
          await delay(20);
          reported += messages.length;
        },
        isRefusal: () => false,
      },
      job: { system_prompt: "", agent_name: "Nova", avatar_session_id: "cs_1" } as JobDescription,
      language: "en",
      parts: {
        model: new AnsweringModel({ provider: null, settings: null, find: async () => null, logger }),
        realtime: { connect: connectProvider(createAddressGuard({ allowPrivate: true }), { base_url, model: "m" }) },
      } as unknown as RoomConversationOptions["parts"],
      checkpoint: undefined,
      whenHeard: () => new Promise(() => undefined),
      onEvent: (event) => {
        if (event.type !== "conversation") return;
        checkpoints += 1;
        checkpointBytes += JSON.stringify(event.change).length;
        known = applyChange(known, event.change);
      },
      logger,
    });
    conversation.start();
    const startMs = performance.now();
    await waitFor(() => flooded, "the server is connected");
    const count = (await flooded) ?? 0;
    const seconds = (performance.now() - startMs) / 1000;
    await waitFor(() => reported >= 10, "what is taken is reported");
    await conversation.close();
    t.comment(`${count} messages sent, ${reported} reported, ${checkpoints} checkpoints of ${checkpointBytes} bytes`);
    t.ok(count > 100, "the server is read on");
    t.ok(reported <= 12, `200,000 bytes, and 500 a second: ${reported}`);
    t.ok(checkpoints <= seconds + 4, `${checkpoints} in ${seconds} s`);
    t.ok(checkpointBytes < 1_000_000, `${checkpointBytes} bytes`);
    t.ok((known?.droppedMessages ?? 0) > 50, "what is dropped is counted, and the worker is told");
    t.ok(shown <= 40 + 20 * seconds + 20, `${shown} texts in the room`);
    for (const room of Object.values(rooms)) await room.disconnect();
  });
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

t.test("what a server leaves open is bounded: turns, answers, words, functions and ids", async (t) => {
  const remote = new ScriptedRemote({ search: () => new Promise(() => undefined) });
  remote.open();
  for (let i = 0; i < 1_000; i++) remote.event("input_audio_buffer.committed", { item_id: `u${i}` });
  remote.event(`${TRANSCRIPTION}.completed`, { item_id: "u0", transcript: "Too late." });
  remote.event(`${TRANSCRIPTION}.completed`, { item_id: "u999", transcript: "In time." });
  for (let i = 950; i < 999; i++) remote.event(`${TRANSCRIPTION}.failed`, { item_id: `u${i}` });
  t.same(remote.transcript, ["user: In time."]);
  for (let i = 0; i < 20; i++) remote.answer("Yes. ".repeat(10_000), `r${i}`);
  t.equal(remote.utterances.length, 3, "three answers wait to be heard");
  t.equal(remote.commands.filter((type) => type === "response.cancel").length, 17, "the others are refused");
  for (const utterance of remote.utterances) utterance.finish();
  await settled();
  t.same(
    remote.messages.slice(1).map(({ text }) => text.length),
    [19_999, 19_999, 19_999],
  );
  remote.begin("last");
  for (let i = 0; i < 20; i++) {
    const item = { type: "function_call", call_id: `c${i}`, name: "search_documents", arguments: '{"query":"tea"}' };
    remote.event("response.output_item.done", { response_id: "last", item });
  }
  t.equal(remote.sent.filter(({ item }) => item?.output === "Too many functions run at once.").length, 16);
  remote.event("input_audio_buffer.committed", { item_id: "x".repeat(1_000_000) });
  remote.event(`${TRANSCRIPTION}.completed`, { item_id: "x".repeat(1_000_000), transcript: "An id like no other." });
  t.equal(remote.messages.length, 4, "an event with this id is ignored");
  await remote.leader.close();
});
