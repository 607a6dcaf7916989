// What a visitor can do with an avatar, as code to copy.

/** A frame with the avatar for any site. `link`: leads to its embed page. */
export function frameCode(link: string, name: string): string {
  const title = name === "" ? "Avatar" : name.replace(/[<>&"]/g, "");
  return `<iframe src="${link}" title="${title}" allow="autoplay; microphone; camera" width="420" height="680" style="border: 0"></iframe>`;
}

/** An avatar session for agents that are built with LiveKit Agents for Node. */
export function agentCode(code: string, service: string): string {
  return `import { env } from "node:process";
import { voice } from "@livekit/agents";
import { AccessToken } from "livekit-server-sdk";

// In the agent's entry, before session.start(…):  await new Avatar().start(session, ctx.room);
export class Avatar extends voice.AvatarSession {
  avatarIdentity = "avatar";
  async start(session, room) {
    await super.start(session, room);
    await launch(room, this.avatarIdentity);
    const options = { room, destinationIdentity: this.avatarIdentity, waitPlaybackStart: true };
    session.output.audio = new voice.DataStreamAudioOutput(options);
  }
}

async function launch(room, identity) {
  const { LIVEKIT_URL, AVATAR_API_SECRET } = env;
  const attributes = { "lk.publish_on_behalf": room.localParticipant.identity };
  const token = new AccessToken(undefined, undefined, { identity, attributes });
  token.kind = "agent";
  token.addGrant({ roomJoin: true, room: room.name });
  const place = { room_name: room.name, livekit_url: LIVEKIT_URL, livekit_token: await token.toJwt() };
  const answer = await fetch("${service}/v1/runtime-tokens/request", {
    method: "POST",
    headers: { "api-secret": AVATAR_API_SECRET, "content-type": "application/json" },
    body: JSON.stringify({ mode: "cpu", agent_id: "${code}", ...place }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
`;
}
