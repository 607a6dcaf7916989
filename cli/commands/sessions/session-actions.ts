// What `avatar sessions …` and `avatar speak` do.
import { z } from "zod";
import type { Client } from "../../../sdk/client/index.ts";
import { openClient } from "../../account/open-client.ts";
import { readAnswer } from "../../account/read-answer.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { readStandardInput } from "../../terminal/read-standard-input.ts";
import { fittingTable } from "../../terminal/text-table.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { parseCount } from "../parse-count.ts";
import { parseEmotion } from "../parse-emotion.ts";
import {
  sessionShape,
  type sessionsEndShape,
  type sessionsListShape,
  sessionsShowShape,
  speakShape,
} from "./shapes.ts";

export interface ListRequest {
  window: "live" | "recent" | "ended" | "all";
  agent?: string;
  limit: string;
  json?: boolean;
}

const MOST_SESSIONS = 200;
const MOST_TEXT_BYTES = 100_000;
const SESSION_ID = /^cs_/;

const userSchema = z.object({ user_id: z.string() });
const roomSchema = z.object({ agent_id: z.string().nullable(), room_name: z.string() });
const endSchema = z.object({ session_id: z.string(), ended: z.boolean(), note: z.string() });

export async function listSessions(environment: Environment, request: ListRequest): Promise<void> {
  const { window, agent: agent_code, json } = request;
  const limit = parseCount(request.limit, "--limit", MOST_SESSIONS);
  const client = await openClient(environment);
  const { items, hasMore } = await client.sessions.list(await userIdOf(client), { window, agent_code, limit });
  const sessions = readAnswer(z.array(sessionShape), items);
  const shown: z.output<typeof sessionsListShape> = { sessions, has_more: hasMore };
  if (json) return writeJson(shown);
  if (sessions.length === 0) {
    process.stdout.write("There are no sessions.\n");
    return;
  }
  const rows = sessions.map(({ id, agent_name, agent_code, status, started, minutes, credits }) =>
    [
      id,
      agent_name || (agent_code ?? ""),
      status,
      started.slice(0, 16).replace("T", " "),
      minutes.toFixed(1),
      String(credits),
    ].map(plainText),
  );
  const head = ["session", "agent", "status", "started (UTC)", "minutes", "credits"];
  process.stdout.write(`${fittingTable(head, rows, { right: [4, 5] })}\n`);
}

export async function showSession(environment: Environment, id: string, { json }: { json?: boolean }): Promise<void> {
  const client = await openClient(environment);
  const { body } = await client.sessions.listMessages(await userIdOf(client), id);
  const session = readAnswer(sessionsShowShape, (body as { data?: unknown }).data);
  if (json) return writeJson(session);
  const { agent_code, started, ended, messages } = session;
  const until = ended === null ? "running" : `until ${ended.slice(11, 16)}`;
  const lines = messages.map(({ timestamp, role, message }) => {
    const who = role === "assistant" ? "avatar" : "visitor";
    return `${timestamp.slice(11, 19)}  ${who.padEnd(7)}  ${plainText(message)}`;
  });
  const head = `${id}, ${agent_code ?? "a deleted agent"}, ${started.slice(0, 16).replace("T", " ")} UTC, ${until}`;
  const said = lines.length === 0 ? ["Nothing that was said is kept."] : lines;
  process.stdout.write(`${[head, "", ...said].join("\n")}\n`);
}

export async function endSession(environment: Environment, id: string, { json }: { json?: boolean }): Promise<void> {
  const client = await openClient(environment);
  const answer = await client.sessions.terminate(await userIdOf(client), id, {});
  const shown: z.output<typeof sessionsEndShape> = readAnswer(endSchema, answer);
  if (json) return writeJson(shown);
  process.stdout.write(`${plainText(shown.note)}\n`);
}

export async function speak(
  environment: Environment,
  { target, text, emotion, json }: { target: string; text: string; emotion?: string; json?: boolean },
): Promise<void> {
  if (emotion !== undefined) parseEmotion(emotion);
  const client = await openClient(environment);
  const message = text === "-" ? (await readStandardInput(MOST_TEXT_BYTES)).trim() : text;
  if (message === "") throw new CliError("usage", "There is no text to say.");
  const { code, room_id } = await findRoom(client, target);
  const receipt = readAnswer(speakShape, await client.agents.speak(code, { message, room_id, emotion }));
  if (json) return writeJson(receipt);
  const { delivered_to_rooms: count } = receipt;
  process.stdout.write(`It is said in ${count === 1 ? "one room" : `${count} rooms`}.\n`);
}

async function findRoom(client: Client, target: string): Promise<{ code: string; room_id?: string }> {
  if (!SESSION_ID.test(target)) return { code: target };
  const { agent_id, room_name } = readAnswer(roomSchema, await client.sessions.get(target));
  if (agent_id === null) throw new CliError("no_input", `The agent of the session ${target} is deleted.`);
  return { code: agent_id, room_id: room_name };
}

async function userIdOf(client: Client): Promise<string> {
  return readAnswer(userSchema, await client.accounts.me()).user_id;
}
