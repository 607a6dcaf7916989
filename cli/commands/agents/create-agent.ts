// What `avatar agents create` does.
import { z } from "zod";
import type { AgentOrder } from "../../../sdk/client/index.ts";
import { openClient } from "../../account/open-client.ts";
import { readAnswer } from "../../account/read-answer.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { readInput } from "../../terminal/read-input.ts";
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { agentShape, type agentsCreateShape } from "./shapes.ts";

export interface CreateRequest {
  image?: string;
  prompt?: string;
  name?: string;
  voice?: string;
  model: string;
  aspectRatio?: AgentOrder["aspect_ratio"];
  wait: boolean;
  json?: boolean;
}

const orderedSchema = z.object({ agent_id: z.string(), status: z.string() });

export async function createAgent(environment: Environment, request: CreateRequest): Promise<void> {
  const { image, prompt, name, voice, model, aspectRatio: aspect_ratio, wait, json } = request;
  if (image === undefined && prompt === undefined) {
    throw new CliError("usage", "An agent is made of --image, --prompt or both.");
  }
  const client = await openClient(environment);
  const portrait = image === undefined ? undefined : await readPortrait(image);
  let code: string | undefined;
  const status = openStatusLine(json === true);
  const show = (created: z.output<typeof agentsCreateShape>) => {
    status.clear();
    if (json) return writeJson(created);
    process.stdout.write(`${created.code}\n`);
    writeNote(
      created.status === "ready"
        ? `${plainText(created.name ?? "") || created.code} is ready.`
        : `It is being made: avatar agents show ${created.code}.`,
    );
  };
  try {
    await interruptible(
      async (signal) => {
        status.show("Sending the order …");
        const order = { image: portrait, prompt, name, voice, model, aspect_ratio };
        const creation = client.agents.create(order, { signal });
        const ordered = readAnswer(orderedSchema, await creation);
        code = ordered.agent_id;
        if (!wait) return show({ code, status: ordered.status, name: name ?? null, model });
        const made = await creation.ready({
          signal,
          onProgress: ({ progress, progress_msg }) =>
            status.show(`${code}  ${Math.round(progress * 100)} %  ${plainText(progress_msg)}`),
        });
        const agent = readAnswer(agentShape, made);
        show({ code, status: agent.status, name: agent.name, model: agent.model });
      },
      () => (code === undefined ? "No agent was ordered." : `${code} is still being made: avatar agents show ${code}.`),
    );
  } finally {
    status.clear();
  }
}

async function readPortrait(image: string): Promise<AgentOrder["image"]> {
  if (/^https?:\/\//.test(image)) return image;
  return { data: await readInput(image), name: "portrait" };
}
