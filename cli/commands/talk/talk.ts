// `avatar talk`: a conversation in the terminal.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { TalkRequest } from "./run-talk.ts";

export function registerTalk(program: Command, environment: Environment): void {
  program
    .command("talk")
    .description("Talk with an agent in the terminal: type, speak, or play recordings; what is said is written")
    .argument("<agent>", "its code")
    .option("--audio <file>", "say this recording, then wait for the answer; may be repeated; - is standard input", add)
    .option("--microphone", "speak into the microphone of this computer (by arecord, sox or FFmpeg)")
    .option("--no-sound", "do not play the voice of the avatar (by aplay, sox or FFmpeg)")
    .option("--json", "print one object when it has ended: agent_code, session_id, seconds, messages")
    .addHelpText(
      "after",
      "\nWithout --audio, lines of standard input are what you type. Ctrl-D or an empty pipe ends the conversation.",
    )
    .action(async (agent: string, options: TalkRequest) => {
      const { runTalk } = await import("./run-talk.ts");
      await runTalk(environment, agent, options);
    });
}

function add(file: string, files: readonly string[] = []): string[] {
  return [...files, file];
}
