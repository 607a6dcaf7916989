// Builds what `npm start` would build at its first start, for an image that is read-only later.
import { fileURLToPath } from "node:url";
import { buildWeb } from "../web/build.ts";
import { buildForImage } from "./start/build/build-programs.ts";

const WEB_OUT = fileURLToPath(new URL("../web/dist", import.meta.url));

await buildWeb({ outDir: WEB_OUT });
const { api, relay, worker, command } = await buildForImage();
const scripts = [api, relay, worker, command].map(({ script }) => script);
process.stdout.write(`${[WEB_OUT, ...scripts].join("\n")}\n`);
