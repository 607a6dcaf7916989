// A caller that can vanish: its process is killed.
import { connectAndStay } from "./wrtc-caller.ts";

await connectAndStay(JSON.parse(process.argv[2] ?? "{}"));
