// The `avatar` command.
import { runAvatar } from "./run-avatar.ts";
import { followStandardStreams } from "./terminal/standard-streams.ts";

followStandardStreams();
await runAvatar(process.argv.slice(2), process.env);
