// A visitor of an agent's embed page, without a browser, and the REST calls of the agent's owner beside it.
import { ScriptedPerson, type ScriptedPersonOptions } from "../../../cli/conversation/scripted-person.ts";
import type { TestStack } from "./with-stack.ts";

/** Where it runs, and its operator's secret. */
type Visited = Pick<TestStack, "baseUrl" | "apiSecret">;

/** A call with the operator's secret: the answer's JSON, and its status as `httpStatus`. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and a wrong shape fails them anyway
export async function callStack(stack: Visited, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(stack.baseUrl + path, {
    method,
    headers: { "api-secret": stack.apiSecret, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return { ...(await response.json()), httpStatus: response.status };
}

export interface Visit {
  person: ScriptedPerson;
  roomName: string;
  /** Of the visitor's page. */
  embedToken: string;
}

/** Opens the session of a visitor's embed page, and joins it. `visitor`: 32 characters or more. */
export async function visitAgent(
  stack: Visited & Pick<TestStack, "agentCode">,
  visitor: string,
  options: Partial<ScriptedPersonOptions> = {},
): Promise<Visit> {
  const body = { agent_id: stack.agentCode, fingerprint: visitor };
  const minted = await callStack(stack, "POST", "/v1/embed-tokens/request", body);
  const response = await fetch(`${stack.baseUrl}/embed/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${minted.data.token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { livekit_url: livekitUrl, room_name: roomName, token } = await response.json();
  const person = new ScriptedPerson({ livekitUrl, token, ...options });
  await person.join();
  return { person, roomName, embedToken: minted.data.token };
}
