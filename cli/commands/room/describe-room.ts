// Prints where a room is and how to join it. The LiveKit server opens the room when the first participant joins.
import { randomUUID } from "node:crypto";
import { parseConfig } from "../../../program/config.ts";
import { AGENT_NAME } from "../../../shared/wire-names.ts";
import { mintRoomToken } from "../../service/room-token.ts";
import { knownLiveKit } from "../../start/livekit/known-livekit.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";

export interface RoomFlags {
  /** Identity of the participant that the avatar speaks for. */
  for: string;
  json?: boolean;
}

const USER_IDENTITY = "you";
/** What a shell takes as it is, between quotes or without. */
const ROOM_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Lines of shell variables, or one object. Throws CliError: `usage` for a name that a shell would take apart,
 *  `unavailable` if the service's LiveKit server is unknown. */
export async function describeRoom(
  environment: Environment,
  name: string | undefined,
  flags: RoomFlags,
): Promise<void> {
  const roomName = name ?? `room-${randomUUID().slice(0, 8)}`;
  if (!ROOM_NAME.test(roomName)) {
    throw new CliError("usage", "A room's name has letters, digits, dots, hyphens and underscores, at most 64.");
  }
  const livekit = await knownLiveKit(parseConfig(environment, ["disk", "livekit"]));
  if (!livekit) {
    throw new CliError("unavailable", "The LiveKit server of the service is unknown.", {
      hint: "Start the service with npm start, or set LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET as it has them.",
    });
  }
  const avatarToken = await mintRoomToken(livekit, { roomName, identity: AGENT_NAME, avatarFor: flags.for });
  const userToken = await mintRoomToken(livekit, { roomName, identity: USER_IDENTITY });
  if (flags.json) {
    writeJson({ livekit_url: livekit.url, room_name: roomName, avatar_token: avatarToken, user_token: userToken });
    return;
  }
  process.stdout.write(
    [`LIVEKIT_URL=${livekit.url}`, `ROOM_NAME=${roomName}`, `AVATAR_TOKEN=${avatarToken}`, `USER_TOKEN=${userToken}`]
      .join("\n")
      .concat("\n"),
  );
  writeNote(
    `The tokens work for an hour. Keys of the server for programs of your own: livekit.env in the data folder.`,
  );
}
