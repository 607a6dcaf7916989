// Rows of the error table about agents, their images and their models.
import { readFileSync } from "node:fs";
import sharp from "sharp";
import t from "tap";
import { addAgent } from "../helpers/service/add-agent.ts";
import { expectError, type Proof, proveSection } from "./prove.ts";
import { AGENT_ERROR_ROWS } from "./rows.ts";
import { type ContractCalls, withContract } from "./with-contract.ts";

const portrait = readFileSync(new URL("../fixtures/portraits/astronaut.png", import.meta.url));

// Inside a test, so that it ends after everything is closed.
await t.test("errors of the agent", (t) =>
  withContract((calls) =>
    proveSection(t, {
      name: "errors of the agent",
      rows: AGENT_ERROR_ROWS,
      proofs: proofsOn(calls),
      routes: calls.routes,
    }),
  ),
);

function proofsOn(calls: ContractCalls): Proof[] {
  const { api, secret, userId, agentCode, call, generate, launchAs, balance, countOf } = calls;
  return [
    {
      rows: ["errors/VALIDATION_ERROR:model"],
      title: "the error for an unknown model names it and the accepted ones; nothing is charged",
      async prove(t) {
        const [credits, agents] = [await balance(), await countOf("agents")];
        const message = /essence-9.*essence-1.*essence-2.*expression-1.*expression-2/;
        const refused = { status: 400, code: "VALIDATION_ERROR", message } as const;
        expectError(t, await generate({ model: "essence-9" }), refused, "an invalid model");
        const retired = await generate({ model: "essence-2-light" });
        expectError(t, retired, { ...refused, message: /essence-2-light.*essence-2/ }, "a retired model");
        t.same([await balance(), await countOf("agents")], [credits, agents], "nothing charged, no agent made");
      },
    },
    {
      rows: ["errors/VALIDATION_ERROR:gestures"],
      title: "gestures are made for the agent's own face alone",
      async prove(t) {
        const credits = await balance();
        const body = { agent_id: agentCode, image_url: "https://example.test/me.jpg" };
        const answer = await call("POST", "/v1/dynamics/generate", body);
        expectError(t, answer, { status: 400, code: "VALIDATION_ERROR", message: /image_url/ }, "another image");
        t.equal(await balance(), credits, "nothing charged");
      },
    },
    {
      rows: ["errors/VIDEO_INPUT_NOT_SUPPORTED"],
      title: "agents are created from images only",
      async prove(t) {
        const credits = await balance();
        const answer = await generate({ model: "essence-2", video: "https://example.test/me.mp4" });
        expectError(t, answer, { status: 400, code: "VIDEO_INPUT_NOT_SUPPORTED" }, "a video");
        t.equal(await balance(), credits, "nothing charged");
      },
    },
    {
      rows: ["errors/MODEL_NOT_DOWNLOADABLE"],
      title: "a model that is rendered in the cloud has no file",
      async prove(t) {
        const answer = await call("GET", `/v1/agent/${agentCode}/model/download?model=expression-1`);
        expectError(t, answer, { status: 400, code: "MODEL_NOT_DOWNLOADABLE" }, "download");
      },
    },
    {
      rows: ["errors/NOT_FOUND:agent"],
      title: "a missing agent and another account's agent give the same answer",
      async prove(t) {
        const { secret: stranger } = await api.addAccount({ credits: 10 });
        const paths: [method: string, path: string, body?: object][] = [
          ["GET", ""],
          ["POST", "", { system_prompt: "x" }],
          ["DELETE", ""],
          ["GET", "/model/download"],
          ["POST", "/models", { model: "essence-1" }],
          ["POST", "/speak", { message: "x" }],
          ["GET", "/sessions"],
        ];
        for (const [method, path, body] of paths) {
          const title = `${method} ${path}`;
          const none = await call(method, `/v1/agent/NOBODY${path}`, body);
          const message = /^Agent not found for code: NOBODY/;
          expectError(t, none, { status: 404, code: "NOT_FOUND", message }, title);
          const foreign = await api.call(method, `/v1/agent/${agentCode}${path}`, { secret: stranger, body });
          t.equal(
            foreign.body.error?.message,
            none.body.error?.message.replace("NOBODY", agentCode),
            `${title}: foreign`,
          );
        }
      },
    },
    {
      rows: ["errors/MODEL_ARTIFACT_NOT_READY", "errors/AGENT_NOT_READY"],
      title: "an unfinished agent can be neither downloaded nor extended, and a failed agent cannot be extended",
      async prove(t) {
        const made = await generate({ model: "essence-2", prompt: "You are Nova." });
        const code: string = made.body.agent_id;
        const download = await call("GET", `/v1/agent/${code}/model/download`);
        expectError(t, download, { status: 404, code: "MODEL_ARTIFACT_NOT_READY" }, "download");
        const notReady = { status: 409, code: "AGENT_NOT_READY" } as const;
        expectError(t, await call("POST", `/v1/agent/${code}/models`, { model: "essence-1" }), notReady, "still made");
        const failed = await addAgent(api.services, { userId, families: [] });
        await api.services.database
          .updateTable("agents")
          .set({ status: "failed" })
          .where("code", "=", failed)
          .execute();
        expectError(t, await call("POST", `/v1/agent/${failed}/models`, { model: "essence-1" }), notReady, "failed");
      },
    },
    {
      rows: ["errors/AGENT_DELETED"],
      title: "the file of a deleted agent is answered with 410",
      async prove(t) {
        const code = await addAgent(api.services, { userId });
        t.equal((await call("DELETE", `/v1/agent/${code}`)).status, 200);
        const answer = await call("GET", `/v1/agent/${code}/model/download`);
        expectError(t, answer, { status: 410, code: "AGENT_DELETED" }, "download");
      },
    },
    {
      rows: ["errors/AGENT_PURGED"],
      title: "a deleted and erased agent is answered with its own code",
      async prove(t) {
        const code = await addAgent(api.services, { userId });
        await call("DELETE", `/v1/agent/${code}`);
        const { database } = api.services;
        await database.updateTable("agents").set({ purged_at: new Date() }).where("code", "=", code).execute();
        const answer = await call("GET", `/v1/agent/${code}/model/download`);
        expectError(t, answer, { status: 410, code: "AGENT_PURGED" }, "download");
      },
    },
    {
      rows: ["errors/FILE_TOO_LARGE"],
      title: "an image over ten megabytes is refused",
      async prove(t) {
        const image = Buffer.alloc(10_100_000).toString("base64");
        expectError(t, await generate({ model: "essence-2", image }), { status: 413, code: "FILE_TOO_LARGE" }, "image");
      },
    },
    {
      rows: ["errors/UNSUPPORTED_TYPE"],
      title: "an upload of what a browser would execute, or of no known kind, is refused",
      async prove(t) {
        const files = {
          "a.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
          "a.html": "<!doctype html><p>Hi",
          "a.bin": "\u0001\u0002",
        };
        for (const [file_name, content] of Object.entries(files)) {
          const file = { file_data: Buffer.from(content).toString("base64"), file_name, file_type: "auto" };
          const refused = { status: 415, code: "UNSUPPORTED_TYPE" } as const;
          expectError(t, await call("POST", "/v1/files/upload", file), refused, file_name);
        }
      },
    },
    {
      rows: ["errors/VALIDATION_ERROR:image"],
      title: "an image or a voice sample that is neither a URL nor a file of its kind is invalid; nothing is charged",
      async prove(t) {
        const before = [await balance(), await countOf("agents")];
        const invalid = { status: 400, code: "VALIDATION_ERROR" } as const;
        const base64 = (content: string) => Buffer.from(content).toString("base64");
        const images = ["not a url", base64("<svg xmlns='http://www.w3.org/2000/svg'/>"), "data:text/html;base64,PGI+"];
        for (const image of images) {
          expectError(t, await generate({ model: "essence-2", image }), invalid, image);
          expectError(
            t,
            await launchAs(secret, "photo", { agent_id: undefined, model: "expression-1", image }),
            invalid,
            image,
          );
        }
        expectError(t, await generate({ model: "essence-2", audio: base64("no audio at all") }), invalid, "a sample");
        t.same([await balance(), await countOf("agents")], before);
      },
    },
    {
      rows: ["errors/MODEL_SUBJECT_MISMATCH", "errors/IMAGE_FACE_UNSUITABLE"],
      title: "an image without one sufficiently large face of a person is refused",
      async prove(t) {
        const before = [await balance(), await countOf("agents")];
        const grey = sharp({ create: { width: 400, height: 300, channels: 3, background: "#888" } });
        const blank = (await grey.png().toBuffer()).toString("base64");
        const none = { status: 422, code: "MODEL_SUBJECT_MISMATCH" } as const;
        expectError(t, await generate({ model: "essence-2", image: blank }), none, "no face, essence-2");
        expectError(t, await generate({ model: "essence-1", image: blank }), none, "no face, essence-1");
        expectError(t, await generate({ image: blank }), none, "no face, no model named");
        const small = await sharp(portrait)
          .resize(160)
          .extend({ right: 300, bottom: 300, background: "#888" })
          .png()
          .toBuffer();
        const unsuitable = { status: 422, code: "IMAGE_FACE_UNSUITABLE" } as const;
        const tiny = await generate({ model: "essence-2", image: small.toString("base64") });
        expectError(t, tiny, unsuitable, "a tiny face");
        const twins = (await sideBySide(portrait)).toString("base64");
        expectError(t, await generate({ model: "essence-2", image: twins }), unsuitable, "two faces alike");
        t.same([await balance(), await countOf("agents")], before, "nothing charged, no agent made");
      },
    },
    {
      rows: ["errors/MODEL_PREREQUISITE_MISSING"],
      title: "a model is not added to an agent that lacks an input which cannot be made",
      async prove(t) {
        const code = await addAgent(api.services, { userId });
        const credits = await balance();
        const lose = (column: "portrait_key" | "voice_id") =>
          api.services.database
            .updateTable("agents")
            .set({ [column]: null })
            .where("code", "=", code)
            .execute();
        const missing = { status: 422, code: "MODEL_PREREQUISITE_MISSING" } as const;
        await lose("voice_id");
        const added = await call("POST", `/v1/agent/${code}/models`, { model: "expression-1" });
        t.match(added, { status: 200, body: { status: "ready", credits: 0 } }, "a voice can be chosen");
        t.match((await call("GET", `/v1/agent/${code}`)).body.data, { voice_id: /^[FM]\d/, video_url: "" });
        const filmed = await call("POST", `/v1/agent/${code}/models`, { model: "essence-2" });
        t.match(filmed, { status: 200 }, "no model needs the identity video");
        await lose("portrait_key");
        expectError(
          t,
          await call("POST", `/v1/agent/${code}/models`, { model: "expression-2" }),
          missing,
          "a face image",
        );
        expectError(
          t,
          await call("POST", `/v1/agent/${code}/models`, { model: "expression-1" }),
          missing,
          "a face image, again",
        );
        t.equal(await balance(), credits, "nothing charged");
      },
    },
    {
      rows: ["errors/200:MODEL_DEFAULT_DEPRECATED"],
      title: "a creation without a model succeeds with a warning",
      async prove(t) {
        const answer = await generate({ prompt: "You are Otto." });
        t.match(answer, {
          status: 200,
          body: { success: true, warnings: [{ code: "MODEL_DEFAULT_DEPRECATED", message: String }] },
        });
        const { model } = (await call("GET", `/v1/agent/${answer.body.agent_id}`)).body.data;
        t.equal(model, "expression-1", "and makes the model that the error table names");
      },
    },
  ];
}

function sideBySide(image: Buffer): Promise<Buffer> {
  return sharp(image)
    .metadata()
    .then(({ width, height }) =>
      sharp({ create: { width: 2 * width, height, channels: 3, background: "#888" } })
        .composite([
          { input: image, left: 0, top: 0 },
          { input: image, left: width, top: 0 },
        ])
        .png()
        .toBuffer(),
    );
}
