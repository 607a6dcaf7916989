// Builds what `npm start` would build at its first start, for an image that is read-only later: the pages and the api.
import { fileURLToPath } from "node:url";
import { buildWeb } from "../web/build.ts";
import { buildApi } from "./start/build-program.ts";

const WEB_OUT = fileURLToPath(new URL("../web/dist", import.meta.url));

await buildWeb({ outDir: WEB_OUT });
const { script } = await buildApi();
process.stdout.write(`${WEB_OUT}\n${script}\n`);
