// The start of a session in a real room, with an api that takes every report.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { RoomEvent } from "@livekit/rtc-node";
import t from "tap";
import { startConversation } from "../../../agent-worker/conversation/start-conversation.ts";
import { RuntimeApiClient } from "../../../agent-worker/session/runtime-api-client.ts";
import type { SessionCheckpoint } from "../../../agent-worker/session/session-event.ts";
import { SessionRun } from "../../../agent-worker/session/session-run.ts";
import { createLogger } from "../../../program/log.ts";
import { pacedEngine } from "../../../room/playout/paced-engine.ts";
import { StartReserve } from "../../../room/playout/start-reserve.ts";
import { type JobDescription, type MessageReport, messageReportSchema } from "../../../shared/runtime-api.ts";
import { ATTRIBUTE_AGENT_STATE, TOPIC_CHAT } from "../../../shared/wire-names.ts";
import { createEngine } from "../../../src/face/engine/create-engine.ts";
import { loadLipSyncModel } from "../../../src/face/lip-sync/lip-sync-model.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { AVATAR_IDENTITY, greyAvatar } from "../../helpers/rooms/with-room-avatar.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** What loading a conversation can take on a busy machine. */
const LOADING_MS = 1_000;
const HAPPY = { emotion: "happy", intensity: 0.5 } as const;
/** Of a process that died. */
const CHECKPOINT: SessionCheckpoint = {
  runtimeToken: "token",
  isLive: true,
  servedSeconds: 1,
  heartbeatSeq: 0,
  openSegments: [],
  waitingMessages: [],
};

t.test("what a person types as soon as the avatar listens is heard; the face goes on with what was set", async (t) => {
  const checkpoints: SessionCheckpoint[] = [];
  const expressed: unknown[] = [];
  await withLiveKit(async ({ url, mintToken }) => {
    await withApi(async (api, messages) => {
      const person = new TestRoom();
      await person.connect(url, await mintToken("person"), { autoSubscribe: true, dynacast: false });
      person.on(RoomEvent.ParticipantAttributesChanged, (changed) => {
        if (changed[ATTRIBUTE_AGENT_STATE] === "listening" && messages.length === 0)
          void person.localParticipant?.sendText("Who are you?", { topic: TOPIC_CHAT });
      });
      const logger = createLogger({ level: "silent", name: "test" });
      const runtime = createNodeRuntime();
      const lipSyncModel = await loadLipSyncModel();
      const reserve = new StartReserve();
      const session = new SessionRun({
        api,
        job: jobIn(url, await mintToken(AVATAR_IDENTITY, { kind: "agent", grant: { canUpdateOwnMetadata: true } })),
        voice: new EspeakVoice(),
        expectsSpeech: false,
        codec: "vp8",
        maxBitrateKbps: 2000,
        maxFps: 25,
        reserve,
        freeCores: () => 1,
        mayContact: () => true,
        logger,
        loadAvatar: async () => greyAvatar(),
        createEngine: async (avatar) => {
          const engine = await createEngine({ avatar, runtime, lipSyncModel, ...pacedEngine(reserve) });
          const { express } = engine;
          engine.express = (...set) => {
            expressed.push(set);
            express.apply(engine, set);
          };
          return engine;
        },
        admitVideo: async () => true,
        releaseVideo: () => undefined,
        onEvent: (event) => {
          if (event.type === "checkpoint") checkpoints.push(event.checkpoint);
        },
        checkpoint: { ...CHECKPOINT, requestedExpression: { expression: HAPPY, leftMs: 60_000 } },
        startConversation: async (options) => {
          await delay(LOADING_MS);
          return startConversation({
            ...options,
            task: { llm: null, jobId: "AJ_1", checkpoint: undefined },
            providers: null,
            tasks: { run: () => Promise.reject(new Error("this worker has no recogniser")) },
          });
        },
      });
      await session.start();
      try {
        await waitFor(() => messages.some(({ message }) => message === "Who are you?"), "it is reported");
        t.match(messages[0], { role: "user", message: "Who are you?" });
        t.same(expressed, [["request", HAPPY, 60_000]], "the face shows what was set in the process before");
        const { requestedExpression: held } = checkpoints.at(-1) ?? {};
        t.same(held?.expression, HAPPY, "and the next process learns it");
        t.ok(held?.leftMs && held.leftMs > 0 && held.leftMs < 60_000);
      } finally {
        await session.end("terminated");
        await person.disconnect();
      }
    });
  });
});

/** Gives `work` a client of an api, and the messages of the conversation that were reported to it. */
async function withApi(
  work: (api: RuntimeApiClient, messages: MessageReport["messages"]) => Promise<void>,
): Promise<void> {
  const messages: MessageReport["messages"] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    if (request.url?.endsWith("/messages")) messages.push(...messageReportSchema.parse(JSON.parse(text)).messages);
    response.writeHead(200, { "content-type": "application/json" });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await work(new RuntimeApiClient({ avatar_session_id: "cs_1", runtime_token: "token", api_url }), messages);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A conversation that only the product's own documents answer. */
function jobIn(livekit_url: string, livekit_token: string): JobDescription {
  return {
    avatar_session_id: "cs_1",
    agent_code: "A00ABC0000",
    agent_name: "Ada",
    system_prompt: "You are Ada.",
    voice_id: "F1",
    language: "en",
    model: "essence-2",
    imx_url: null,
    portrait_url: null,
    livekit_url,
    livekit_token,
    room_name: "room",
    beat_interval_s: 5,
    conversation: true,
    is_hosted: true,
    open_segments: [],
  };
}
