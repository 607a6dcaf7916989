// What `avatar token` does.
import { z } from "zod";
import type { Client } from "../../../sdk/client/index.ts";
import { openClient } from "../../account/open-client.ts";
import { readAnswer } from "../../account/read-answer.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import type { tokenShape } from "./shapes.ts";

export type TokenKind = z.output<typeof tokenShape>["kind"];

export interface TokenRequest {
  visitor?: string;
  room?: string;
  livekitUrl?: string;
  model?: string;
  json?: boolean;
}

const embedSchema = z.object({ token: z.string() });
const downloadSchema = embedSchema.extend({ expires_at: z.number() });
const launchSchema = z.object({ scoped_token: z.string(), expires_at: z.number() });

export async function mintToken(
  environment: Environment,
  request: TokenRequest & { kind: TokenKind; agent: string },
): Promise<void> {
  const { kind, agent: agent_code, json } = request;
  checkOptions(request);
  const minted = await mint(await openClient(environment), request);
  const shown: z.output<typeof tokenShape> = { kind, agent_code, ...minted };
  if (json) return writeJson(shown);
  process.stdout.write(`${shown.token}\n`);
}

function checkOptions({ kind, visitor, room, livekitUrl, model }: TokenRequest & { kind: TokenKind }): void {
  const others: [string, string | undefined, readonly TokenKind[]][] = [
    ["--visitor", visitor, ["embed"]],
    ["--room", room, ["launch"]],
    ["--livekit-url", livekitUrl, ["launch"]],
    ["--model", model, ["embed", "launch"]],
  ];
  const wrong = others.find(([, value, kinds]) => value !== undefined && !kinds.includes(kind));
  if (wrong) throw new CliError("usage", `${wrong[0]} is for ${wrong[2].join(" and ")} tokens, not for ${kind}.`);
  if (kind === "launch" && (room === undefined || livekitUrl === undefined)) {
    throw new CliError("usage", "A launch token is bound to a room: --room and --livekit-url name it.");
  }
}

async function mint(client: Client, request: TokenRequest & { kind: TokenKind; agent: string }) {
  const { kind, agent, visitor, room, livekitUrl, model } = request;
  if (kind === "embed") {
    const whom = visitor === undefined ? { shared: true } : { fingerprint: visitor };
    const { token } = readAnswer(embedSchema, await client.embedTokens.create({ agent_id: agent, ...whom, model }));
    return { token, expires_at: null };
  }
  if (kind === "download") {
    return readAnswer(downloadSchema, await client.runtimeTokens.mint({ agent_code: agent }));
  }
  const body = { agent_code: agent, scope: "livekit-cloud", room_name: room, livekit_url: livekitUrl, model };
  const { scoped_token: token, expires_at } = readAnswer(launchSchema, await client.runtimeTokens.mint(body));
  return { token, expires_at };
}
