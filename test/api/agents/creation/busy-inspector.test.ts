import { readFileSync } from "node:fs";
import sharp from "sharp";
import t from "tap";
import { addModel } from "../../../../api/agents/models/add-model.ts";
import type { Inspector } from "../../../../api/agents/portraits/portrait-process.ts";
import { PortraitProcess, type TaskCaller } from "../../../../api/agents/portraits/portrait-process.ts";
import { countAgents } from "../../../../api/agents/record/agent-store.ts";
import { TaskError } from "../../../../program/child-process/task-error.ts";
import { ServiceError } from "../../../../shared/errors.ts";
import { writeWav } from "../../../../src/signal/audio/wav.ts";
import { childPids } from "../../../helpers/processes/child-pids.ts";
import { type AgentsContext, withAgents } from "../../../helpers/service/with-agents.ts";

const astronaut = readFileSync(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url));
const person = astronaut.toString("base64");
const blank = sharp({ create: { width: 400, height: 300, channels: 3, background: "#8899aa" } })
  .png()
  .toBuffer();
const away = new TaskError("lost", "the process ended (SIGSEGV)");
const busy = new ServiceError("SERVICE_UNAVAILABLE", "busy");

/** Creates an agent while images and samples cannot be looked at, which then works again. */
async function createWhile(
  { services, create }: AgentsContext,
  error: Error,
  request: Parameters<AgentsContext["create"]>[0],
) {
  const { inspector, voices } = services;
  const { inspect } = inspector;
  const { measure } = voices;
  inspector.inspect = () => Promise.reject(error);
  voices.measure = () => Promise.reject(error);
  try {
    return await create(request);
  } finally {
    inspector.inspect = inspect;
    voices.measure = measure;
  }
}

t.test(
  "an image or sample that cannot be checked now does not block a creation: the job checks it later",
  async (t) => {
    await withAgents(t, async (context) => {
      const { services } = context;
      const hum = Int16Array.from({ length: 16_000 }, (_, i) => {
        const phase = (2 * Math.PI * 245 * i) / 16_000;
        return 6000 * (Math.sin(phase) + 0.7 * Math.sin(2 * phase) + 0.5 * Math.sin(3 * phase));
      });
      const audio = Buffer.from(writeWav({ samples: hum, sampleRateHz: 16_000 })).toString("base64");
      const agent = await createWhile(context, away, { image: person, audio });
      t.match(agent, { status: "processing", imageKey: /^agent-inputs/, voiceSampleKey: /^agent-inputs/ });
      await context.runJob(agent);
      const made = await context.load(agent);
      t.match(made, { status: "ready", voiceId: /^bv1_/, galleryId: null, imageKey: null, voiceSampleKey: null });
      for (const key of [agent.imageKey, agent.voiceSampleKey]) t.equal(await services.storage.sizeOf(key ?? ""), null);

      const image = (await blank).toString("base64");
      const unsuited = await createWhile(context, busy, { image });
      await context.runJob(unsuited);
      t.match(
        await context.load(unsuited),
        { status: "failed", errorMessage: /portrait: / },
        "the subject is refused later",
      );
      t.equal(await context.balance(), 500);
    });
  },
);

t.test("checks stop if the client disconnects: nothing is stored, created or charged", async (t) => {
  await withAgents(t, async ({ services, create, account, balance }) => {
    const leaving = new AbortController();
    const untilLeft = (_: unknown, { signal }: TaskCaller = {}) => {
      leaving.abort(new Error("the client left"));
      return Promise.reject(signal?.reason ?? new Error("the check has no signal"));
    };
    services.inspector.inspect = untilLeft;
    services.voices.measure = untilLeft;
    const stored: string[] = [];
    services.storage.put = async (key) => Promise.reject(stored.push(key));
    for (const file of [{ image: person }, { audio: person }]) {
      await t.rejects(create({ ...file, signal: leaving.signal }), /the client left/);
    }
    t.same([stored, await countAgents(services.database, account.userId), await balance()], [[], 0, 1000]);
  });
});

t.test(
  "a crash of the inspector while a model is added gives 503 without a charge, and a repeat succeeds",
  async (t) => {
    await withAgents(t, async (context) => {
      const { services, account } = context;
      const agent = await context.create({ image: person });
      await context.runJob(agent);
      const portraits = new PortraitProcess({ logger: services.logger });
      t.teardown(() => portraits.close());
      const add = async (inspector: Inspector) => {
        const order = { account, agent: await context.load(agent), family: "essence-1", secretId: null } as const;
        return addModel({ ...services, inspector }, order);
      };
      const crashing: Inspector = {
        inspect(...task) {
          const inspected = portraits.inspect(...task);
          for (const pid of childPids("portrait-child")) process.kill(pid, "SIGKILL");
          return inspected;
        },
        close: async () => undefined,
      };
      await t.rejects(add(crashing), { code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 10 });
      t.equal((await context.load(agent)).models.length, 1);
      t.equal(await context.balance(), 500);
      t.match(await add(portraits), { status: "processing", credits: 250 });
    });
  },
);

t.test(
  "auto is charged for the model that the image selects, even if it is checked late; it never rejects the subject",
  async (t) => {
    const image = (await blank).toString("base64");
    await withAgents(t, async (context) => {
      await context.grant(2000);
      const guessed = await createWhile(context, busy, { image, model: "auto" });
      t.match(guessed, { model: "essence-2", isAutoModel: true });
      t.equal(await context.balance(), 2500);
      await context.runJob(guessed);
      t.match(await context.load(guessed), {
        model: "expression-2",
        isAutoModel: false,
        status: "generating",
        currentStep: "awaiting_face_marking",
        models: [{ family: "expression-2", state: "pending", credits: 2000 }],
      });
      t.equal(await context.balance(), 1000, "the guess was given back");

      const seen = await createWhile(context, busy, { image: person, model: "auto", prompt: "You are Ada." });
      await context.runJob(seen);
      t.match(await context.load(seen), { model: "essence-2", status: "ready" });
      t.equal(await context.balance(), 500);

      const poor = await createWhile(context, busy, { image, model: "auto" });
      await context.runJob(poor);
      t.match(await context.load(poor), { status: "failed", errorMessage: /credits/i }, "no overdraft");
      t.equal(await context.balance(), 500, "and all of it given back");
    });
  },
);

t.test("with auto a paused family does not refuse the other", async (t) => {
  const work = async ({ create, balance }: AgentsContext) => {
    await t.rejects(create({ image: person, model: "auto" }), { code: "MODEL_NOT_YET_AVAILABLE" });
    t.equal(await balance(), 1000);
    await t.rejects(create({ model: "auto", prompt: "You are a dragon." }), { code: "INSUFFICIENT_BALANCE" });
  };
  await withAgents(t, work, { environment: { AVATAR_PAUSED_MODELS: "essence-2" } });
});

t.test(
  "a prompt that clearly describes no person is refused before any charge; other prompts are accepted",
  async (t) => {
    await withAgents(t, async ({ create, balance }) => {
      for (const prompt of ["You are a cat.", "a talking teapot", "A friendly green dragon who tells stories."]) {
        await t.rejects(create({ prompt, model: "essence-2" }), { code: "MODEL_SUBJECT_MISMATCH" });
      }
      t.equal(await balance(), 1000);
      t.match(await create({ prompt: "You are a cat.", image: person, model: "essence-1" }), { status: "processing" });
      const prompt = "You are a veterinarian who loves cats.";
      t.match(await create({ prompt, model: "essence-1" }), { status: "processing" });
    });
  },
);
