// `avatar token`: mints a token for scripts, and prints it alone.
import { Argument, type Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { TokenKind, TokenRequest } from "./mint-token.ts";

export function registerToken(program: Command, environment: Environment): void {
  program
    .command("token")
    .description("Mint a one-hour token: for an embed page, to start an avatar in a room, or to download a model")
    .addArgument(new Argument("<kind>", "what it is for").choices(["embed", "launch", "download"]))
    .argument("<agent>", "its code")
    .option("--visitor <id>", "embed: the one visitor it is for (default: all who open the page)")
    .option("--room <name>", "launch: the room that it is bound to")
    .option("--livekit-url <url>", "launch: the LiveKit server of the room")
    .option("--model <name>", "the only model that it may show")
    .option("--json", "print one object: kind, agent_code, token, expires_at")
    .action(async (kind: TokenKind, agent: string, options: TokenRequest) => {
      const { mintToken } = await import("./mint-token.ts");
      await mintToken(environment, { ...options, kind, agent });
    });
}
