// `avatar voices …`: lists voices, fetches and removes those of the catalogue, and lets one speak.
import { Argument, type Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { PullRequest } from "./pull-voice.ts";
import type { SayRequest } from "./say-with-voice.ts";

export function registerVoices(program: Command, environment: Environment): void {
  const voices = program.command("voices").description("Voices of this installation, and voices that can be fetched");
  const id = new Argument("<voice>", "its id, as `avatar voices list` shows it");
  voices
    .command("list")
    .description("List all voices: built in, fetched, and ready to be fetched, with language, size and licence")
    .option("--json", "print one object")
    .action(async (options: { json?: boolean }) => {
      const { listVoices } = await import("./list-voices.ts");
      listVoices(environment, options);
    });
  voices
    .command("pull")
    .description(
      "Fetch a voice; an interrupted one goes on where it stopped. It speaks its language if none is built in",
    )
    .addArgument(id)
    .option("--source <url or folder>", "fetch <id>.onnx and <id>.onnx.json from here instead")
    .option("--json", "print one object: id, folder, bytes, was_here")
    .action(async (voice: string, options: PullRequest) => {
      const { pullVoice } = await import("./pull-voice.ts");
      await pullVoice(environment, voice, options);
    });
  voices
    .command("remove")
    .description("Delete a fetched voice")
    .addArgument(id)
    .option("--json", "print one object: id, folder")
    .action(async (voice: string, options: { json?: boolean }) => {
      const { removeVoice } = await import("./remove-voice.ts");
      await removeVoice(environment, voice, options);
    });
  voices
    .command("say")
    .description(
      "Speak a text into a WAV file: with M1 to M5, F1 to F5, or a fetched voice (<id>:<speaker> of several)",
    )
    .addArgument(id)
    .argument("<text>", "what to say")
    .option("-o, --output <file>", "WAV to write (default: <voice>.wav)")
    .option("--speed <factor>", "0.7 to 2 (default: 1.05)")
    .option("--language <code>", "language of a built-in voice, for example es (default: en)")
    .option("--json", "print one object: file, voice, seconds, sample_rate_hz")
    .action(async (voice: string, text: string, options: SayRequest) => {
      const { sayWithVoice } = await import("./say-with-voice.ts");
      await sayWithVoice(environment, voice, text, options);
    });
}
