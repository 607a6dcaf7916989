// The `avatar` command.
import { runAvatar } from "./run-avatar.ts";

await runAvatar(process.argv.slice(2), process.env);
