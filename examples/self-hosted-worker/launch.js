// An avatar that a machine of your own renders, in a room of your LiveKit server.
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "@open-avatar/client";
import { AccessToken } from "livekit-server-sdk";

const { LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET } = process.env;
const workerUrl = process.env.WORKER_URL ?? "http://127.0.0.1:8089";
const roomName = process.env.ROOM_NAME ?? "lobby";
const secondsInRoom = Number(process.env.SECONDS ?? 60);

const client = new Client();
const agentCode = process.env.AGENT_CODE ?? (await client.samples.list()).items[0].agent_code;

/** Lets the avatar join, as an agent. */
async function joinToken() {
  const token = new AccessToken(LIVEKIT_API_KEY, LIVEKIT_API_SECRET, { identity: "avatar", ttl: "10m" });
  token.addGrant({ roomJoin: true, room: roomName });
  token.kind = "agent";
  return token.toJwt();
}

/** Asks the worker. Credentials are for one launch: the secret of the account stays here. */
async function ask(path, credential, body) {
  const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
  const response = await fetch(workerUrl + path, {
    method: body ? "POST" : "GET",
    headers,
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status}: ${answer.detail}`);
  return answer;
}

const { scoped_token } = await client.runtimeTokens.mint({
  agent_code: agentCode,
  scope: "livekit-cloud",
  room_name: roomName,
  livekit_url: LIVEKIT_URL,
});
const launch = { agent_id: agentCode, room_name: roomName, livekit_url: LIVEKIT_URL, livekit_token: await joinToken() };
const { task_id } = await ask("/launch?async=false", scoped_token, launch);
console.log(`The avatar is in ${roomName}.`);

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
await delay(secondsInRoom * 1000, null, { signal: stop.signal }).catch(() => undefined);
const task = await ask(`/tasks/${task_id}/stop`, scoped_token, {});
console.log(`${task.status}, as session ${task.session_id}`);
