// Builds what `npm start` would build at its first start, for an image that is read-only later.
import { buildWeb, WEB_DIST } from "../web/build.ts";
import { buildForImage } from "./start/build/build-programs.ts";

await buildWeb();
const { api, relay, worker, command } = await buildForImage();
const scripts = [api, relay, worker, command].map(({ script }) => script);
process.stdout.write(`${[WEB_DIST, ...scripts].join("\n")}\n`);
