// The React page is built with Vite, joins a room, and shows the file's face where no avatar is.
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { bakedFace } from "../../../test/helpers/faces/baked-face.ts";
import { mintToken } from "../../bench/service/session-opener.ts";
import { findChromium, withChromium } from "../../bench/with-chromium.ts";
import type { ExampleCheck } from "./example-check.ts";
import { untilFace } from "./until-face.ts";

export const checkFaceInReact: ExampleCheck = {
  example: "face-in-react",
  async check({ project, service, report }) {
    const publicFolder = join(project.folder, "public");
    await mkdir(publicFolder, { recursive: true });
    await writeFile(join(publicFolder, "face.imx"), await writeImx(await bakedFace("drawing")));
    const settings = {
      VITE_LIVEKIT_URL: service.livekit.url,
      VITE_LIVEKIT_TOKEN: await mintToken(service, `visit-${randomUUID()}`, "visitor"),
    };
    await project.run("npm", ["run", "build"], settings);
    if (!findChromium()) return report("no Chromium: the face was not looked at");
    const server = project.start("npm", ["start", "--", "--host", "127.0.0.1", "--port", "0"], settings);
    const [url] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
    const microphone = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];
    await withChromium(async (browser) => {
      const page = await browser.newPage();
      await page.goto(url);
      await untilFace(page);
      await page.getByText("connecting").or(page.getByText("listening")).first().waitFor();
    }, microphone);
  },
};
