// How the command is described that starts the service, as `npm start` and as `avatar start`.
import type { Command } from "commander";

/** Adds description and options, and returns the command. */
export function addStartOptions(command: Command): Command {
  return command
    .summary("Start the whole service on this machine, and keep it running")
    .description(
      "Start PostgreSQL, the LiveKit server, the api, a realtime relay, one avatar worker and the pages, and keep them " +
        "running. Settings are environment variables; .env.example lists them. Ctrl-C stops everything, a second one at once",
    )
    .option("--json", "print one line of JSON when ready (the operator's secret is not in it)", false);
}
