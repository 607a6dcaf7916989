// `avatar room`: a room of the service's LiveKit server, and tokens for it.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { RoomFlags } from "./describe-room.ts";

export function registerRoom(program: Command, environment: Environment): void {
  program
    .command("room")
    .description("Name a room of the service's LiveKit server, with a token for an avatar and one for you")
    .argument("[name]", "name of the room; default: a new one")
    .option("--for <identity>", "participant that the avatar speaks for: your agent", "agent")
    .option("--json", "print one object: livekit_url, room_name, avatar_token, user_token")
    .action(async (name: string | undefined, flags: RoomFlags) => {
      const { describeRoom } = await import("./describe-room.ts");
      await describeRoom(environment, name, flags);
    });
}
