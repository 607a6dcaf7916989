// `avatar run`: a page on this computer that shows a face and lets a person talk with it.
import type { Command } from "commander";
import { EXPRESSION_NAMES } from "../../../shared/expressions.ts";
import type { Environment } from "../../terminal/environment.ts";
import type { RunRequest } from "./run-face.ts";

export function registerRun(program: Command, environment: Environment): void {
  program
    .command("run")
    .description("Show a face on a page of this computer; the code of your agent opens a conversation with it")
    .argument("[avatar]", ".imx bundle, portrait image, slug of a sample (avatar list), or code of your agent")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on; the next free one if it is taken", "8088")
    .option("--public", "allow a --host that other computers reach: everyone there may use the page")
    .option("--emotion <name[:0..1]>", `what the face shows: ${EXPRESSION_NAMES.join(", ")}`)
    .option("--no-open", "do not open the browser")
    .option("--json", "print one JSON object when the page can be opened")
    .action(async (avatar: string | undefined, options: RunRequest) => {
      const { runFace } = await import("./run-face.ts");
      await runFace(avatar, options, environment);
    });
}
