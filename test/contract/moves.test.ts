// The contract's tables of moves: every visible state, and the transitions between them.
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import sharp from "sharp";
import t, { type Test } from "tap";
import { balanceOf } from "../../api/accounts/credits/ledger.ts";
import { type WebhookReceiver, withWebhookReceiver } from "../helpers/servers/with-webhook-receiver.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import type { TestApi } from "../helpers/service/with-api.ts";
import { withSessions } from "../helpers/service/with-sessions.ts";
import { waitFor } from "../helpers/wait-for.ts";
import { dynamicsProofs } from "./dynamics-proofs.ts";
import { type Proof, proveSection, routesOf } from "./prove.ts";
import { MOVE_ROWS } from "./rows.ts";
import { videoProofs } from "./video-proofs.ts";

const GENERATE = "/v1/agent/generate";
/** A drawn robot: its face is detected, but as uncertain. */
const ROBOT = new URL("../../models/gallery/bolt.png", import.meta.url);
/** A bake takes seconds, and many seconds on a busy machine. */
const MAKING_MS = 200_000;
const TERMINAL = ["ready", "failed"];

interface Move {
  status: string;
  progress: number;
  current_step: string;
}

// Within a test, which ends only when all is taken down again.
await t.test("moves", (t) =>
  withWebhookReceiver((receiver) =>
    withSessions(
      { plan: "pro", credits: 2_000, environment: { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" } },
      async (stage) => {
        await recordMoves(stage.api);
        const proofs = [
          ...agentProofs(stage.api, stage.secret, stage.userId, receiver),
          ...sessionProofs(stage),
          ...videoProofs(stage.api),
          ...dynamicsProofs(stage.api),
        ];
        await proveSection(t, { name: "moves", rows: MOVE_ROWS, proofs, routes: routesOf(stage.api.describe()) });
      },
    ),
  ),
);

function agentProofs(api: TestApi, secret: string, userId: string, receiver: WebhookReceiver): Proof[] {
  const call = (method: string, path: string, body?: object) => api.call(method, path, { secret, body });
  const balance = async () => (await balanceOf(api.services.database, userId)).total;
  const statusOf = async (code: string) => (await call("GET", `/v1/agent/status/${code}`)).body.data;
  const eventsAbout = (code: string) => receiver.received.filter(({ body }) => body.data?.agent_id === code);

  /** Polls as a client would, until it would stop. Returns every answer. */
  async function poll(code: string) {
    const seen: Move[] = [];
    const last = await waitFor(
      async () => {
        const data = await statusOf(code);
        seen.push(data);
        return (data.status === "success" && data.progress === 1) || TERMINAL.includes(data.status) ? data : null;
      },
      `the end of ${code}`,
      MAKING_MS,
    );
    return { last, seen };
  }

  return [
    {
      rows: ["moves/webhook-active"],
      title: "an endpoint is active from its registration on",
      async prove(t) {
        const { body } = await call("POST", "/v1/webhooks", { url: receiver.url });
        t.match(body, { success: true, data: { active: true, secret: /^whsec_/ } });
        const listed = (await call("GET", "/v1/webhooks")).body.data;
        t.match(listed, [{ id: body.data.id, active: true }]);
      },
    },
    {
      rows: [
        "moves/none-processing",
        "moves/processing-generating",
        "moves/persona",
        "moves/voice-image",
        "moves/lip-sync",
        "moves/completed-ready",
      ],
      title: "an agent moves from processing to ready step by step, and agent.ready is sent",
      async prove(t) {
        const credits = await balance();
        const created = await call("POST", GENERATE, { prompt: "You are Nova, a guide.", model: "essence-1" });
        t.match(created, { status: 200, body: { success: true, status: "processing", agent_id: String } });
        const code: string = created.body.agent_id;
        t.equal(await balance(), credits - 250, "the creation is charged when it is accepted");
        const { last, seen } = await poll(code);
        t.match(last, { status: "ready", progress: 1, current_step: "done", error_message: null, model_url: /^http/ });

        const moves = await movesOf(api, code);
        const first = { status: "processing", progress: 0 };
        t.match(moves[0], first, "it begins as processing");
        const steps: [title: string, isSo: (move: Move) => boolean][] = [
          ["claimed", (move) => is(move, "generating", 0.02, "payment")],
          ["persona", (move) => move.progress === 0.15 && move.current_step === "persona"],
          ["voice and image", (move) => move.progress === 0.2 && move.current_step === "voice_image"],
          ["lip sync", (move) => move.current_step === "lip_sync" && move.progress >= 0.7 && move.progress <= 0.99],
          ["ready", (move) => is(move, "ready", 1, "done")],
        ];
        let position = 0;
        for (const [title, isSo] of steps) {
          const found = moves.findIndex((move, index) => index >= position && isSo(move));
          t.ok(found >= 0, `${title}, in its place`);
          position = Math.max(position, found);
        }
        t.ok(ascends(moves.map(({ progress }) => progress)), "progress never goes back");
        const unknown = seen.filter((polled) => !moves.some((move) => isSameMove(polled, move))).map(pick);
        t.same(unknown, [], "what a client polls is one of these states");
        await waitFor(() => eventsAbout(code).length > 0, "the event");
        t.match(eventsAbout(code), [{ body: { event: "agent.ready", data: { agent_id: code, code } } }]);
        const download = await call("GET", `/v1/agent/${code}/model/download`);
        t.equal(download.status, 302, "and its file can be had");
      },
    },
    {
      rows: ["moves/any-failed"],
      title: "an agent with an invalid image fails with the reason and is refunded once",
      async prove(t) {
        const credits = await balance();
        const image = await serveLateBlank(t);
        const created = await call("POST", GENERATE, { model: "essence-2", image });
        t.match(created, { status: 200, body: { status: "processing" } });
        const code: string = created.body.agent_id;
        t.equal(await balance(), credits - 500);
        const { last } = await poll(code);
        t.match(last, { status: "failed", error_message: /\S/ });
        t.ok(last.progress < 1, "progress stays where it was");
        t.equal(await balance(), credits, "refunded in full");
        await waitFor(() => eventsAbout(code).length > 0, "the event");
        t.match(eventsAbout(code), [{ body: { event: "agent.failed", data: { agent_id: code, error: /\S/ } } }]);
        t.equal(await balance(), credits, "once");
      },
    },
    {
      rows: ["moves/regeneration-failed"],
      title: "an agent that works is ready again after a failed regeneration, with the reason, and is refunded",
      async prove(t) {
        const code = await addAgent(api.services, { userId });
        const credits = await balance();
        const body = { agent_id: code, model: "essence-2", image: await serveLateBlank(t) };
        t.match(await call("POST", GENERATE, body), { status: 200, body: { status: "processing" } });
        const { last, seen } = await poll(code);
        t.match(last, {
          status: "ready",
          progress: 1,
          current_step: "done",
          error_message: null,
          progress_msg: /^Ready, as before\. Failed at \S/,
          model_status: { "essence-2": { state: "ready", reason: /^Failed at \S/ } },
        });
        t.notOk(seen.some(({ status }) => status === "failed"));
        t.equal(await balance(), credits, "refunded in full");
        await waitFor(() => eventsAbout(code).length > 0, "the event");
        t.match(eventsAbout(code), [{ body: { event: "agent.failed", data: { error: /^Failed at \S/ } } }]);
        t.match(await call("POST", `/v1/agent/${code}/models`, { model: "expression-1" }), { status: 200 });
      },
    },
    {
      rows: ["moves/awaiting-face-marking"],
      title: "an agent with an uncertain face waits for marks and describes their positions",
      async prove(t) {
        const body = { image: readFileSync(ROBOT).toString("base64"), model: "expression-2" };
        const { secret: own } = await api.addAccount({ credits: 2_000 });
        const code: string = (await api.call("POST", GENERATE, { secret: own, body })).body.agent_id;
        const path = `/v1/agent/status/${code}`;
        const waiting = await waitFor(
          async () => {
            const { data } = (await api.call("GET", path, { secret: own })).body;
            return data.current_step === "awaiting_face_marking" ? data : null;
          },
          "the step",
          MAKING_MS,
        );
        t.match(waiting, { status: "generating", progress: 0.35, progress_msg: new RegExp(`${code}/face-marks`) });
        t.match(waiting.model_status, { "expression-2": { state: "pending", reason: null } });
      },
    },
    {
      rows: ["moves/regenerated", "moves/model-added"],
      title: "a ready agent stays ready while a model is added, and returns to processing when it is regenerated",
      async prove(t) {
        const { account, secret: own } = await api.addAccount({ credits: 2_500 });
        const left = async () => (await balanceOf(api.services.database, account.userId)).total;
        const code = await addAgent(api.services, { userId: account.userId });
        const view = async () => (await api.call("GET", `/v1/agent/${code}`, { secret: own })).body.data;
        const add = () =>
          api.call("POST", `/v1/agent/${code}/models`, { secret: own, body: { model: "expression-2" } });
        // Both calls at the same time: the test agent's portrait is not an image, and between two calls a free worker
        // would find that out.
        const [first, second] = (await Promise.all([add(), add()])).sort((a, b) => b.body.credits - a.body.credits);
        t.match(first, { status: 200, body: { status: "processing", credits: 2000 } });
        t.match(second, { status: 200, body: { status: "processing", credits: 0 } }, "requested twice, charged once");
        t.match(await view(), { status: "ready", model_status: { "expression-2": { state: /^(pending|failed)$/ } } });
        const settled = await waitFor(
          async () => {
            const data = await view();
            return data.model_status["expression-2"].state === "pending" ? null : data;
          },
          "the end of the added model",
          MAKING_MS,
        );
        t.match(settled, { status: "ready", model_status: { "expression-2": { state: "failed", reason: /\S/ } } });
        t.notOk(settled.supported_models.includes("expression-2"));
        t.equal(await left(), 2_500, "refunded in full");

        const body = { agent_id: code, model: "essence-2", prompt: "You are Nova." };
        const anew = await api.call("POST", GENERATE, { secret: own, body });
        t.match(anew, { status: 200, body: { agent_id: code, status: "processing" } });
        t.equal(await left(), 2_000, "charged as a creation");
        const moves = await movesOf(api, code);
        const begun = moves.findLast(({ status }) => status === "processing");
        t.match(begun, { status: "processing", progress: 0, current_step: "payment" });
        await api.call("DELETE", `/v1/agent/${code}`, { secret: own });
      },
    },
    {
      rows: ["moves/polling-ends"],
      title: "only the terminal states tell a client to stop polling",
      async prove(t) {
        const moves = await movesOf(api, null);
        t.ok(moves.length > 8, "agents have been made by now");
        for (const move of moves) {
          const isEnd = TERMINAL.includes(move.status) || (move.status === "success" && move.progress === 1);
          // `completed` comes before ready, also at the last step.
          if (!isEnd && move.status !== "completed")
            t.ok(move.progress < 1 && move.current_step !== "done", `${move.status} at ${move.progress}`);
          if (move.status === "ready") t.ok(is(move, "ready", 1, "done"), "ready comes with 1.0 and done");
        }
      },
    },
  ];
}

function sessionProofs(stage: Parameters<Parameters<typeof withSessions>[1]>[0]): Proof[] {
  const { api, secret } = stage;
  return [
    {
      rows: ["moves/session-starting-live", "moves/session-live-ended"],
      title: "a session is starting, then live when its avatar is published, and ended by the end call",
      async prove(t) {
        const view = async (id: string) => (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body;
        const launched = await stage.launch("room");
        t.match(launched.body, { status: "starting", avatar_session_started: true });
        t.match(await view(launched.body.session_id), { status: "starting", ended_at: null });
        const { id } = await stage.goLive("room");
        t.match(await view(id), { status: "live", started_at: String });
        const ended = await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
        t.match(ended, {
          status: 200,
          body: { status: "ended", ended_at: String, slot_released: true, credits: Number },
        });
        t.match((await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret })).body, { status: "ended" });
        t.match(await view(id), { status: "ended", billed_seconds: Number });
      },
    },
  ];
}

function is(move: Move, status: string, progress: number, step: string): boolean {
  return move.status === status && move.progress === progress && move.current_step === step;
}

/** Progress to three decimals: the database keeps it in single precision. */
function pick({ status, progress, current_step }: Move): Move {
  return { status, progress: Math.round(progress * 1000) / 1000, current_step };
}

/** The view shows progress in hundredths. */
function isSameMove(left: Move, right: Move): boolean {
  const isNear = Math.abs(left.progress - right.progress) < 0.006;
  return isNear && left.status === right.status && left.current_step === right.current_step;
}

function ascends(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value >= values[index - 1]);
}

/** Records every state of an agent in the database, because polling would miss short ones. */
async function recordMoves({ services }: TestApi): Promise<void> {
  await sql`
    create table moves (id serial, code text, status text, progress float8, current_step text);
    create function note_move() returns trigger language plpgsql as $$ begin
      insert into moves (code, status, progress, current_step)
      values (new.code, new.status, new.progress, new.current_step);
      return new;
    end $$;
    create trigger note_move after insert or update on agents for each row execute function note_move();
  `.execute(services.database);
}

/** The states that an agent (null: any) has been in, in order. */
async function movesOf({ services }: TestApi, code: string | null): Promise<Move[]> {
  const { rows } = await sql<Move>`
    select status, progress, current_step from moves where ${code}::text is null or code = ${code} order by id
  `.execute(services.database);
  return rows.map(pick);
}

/** Serves an image without a face. The creation is accepted without it; only the job can fetch it. */
async function serveLateBlank(t: Test): Promise<string> {
  const blank = await sharp({ create: { width: 400, height: 300, channels: 3, background: "#888" } })
    .png()
    .toBuffer();
  let requests = 0;
  return serveImage(t, (response) => {
    requests += 1;
    if (requests === 1) response.writeHead(503).end();
    else response.writeHead(200, { "content-type": "image/png" }).end(blank);
  });
}

/** Serves one image with `answer`. Returns its URL. */
async function serveImage(t: Test, answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/face.png`;
}
