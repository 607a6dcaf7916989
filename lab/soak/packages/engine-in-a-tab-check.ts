// A visitor of the example chooses a face and a recording, and the face says it.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../cli/start/processes/free-port.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { bakedFace } from "../../../test/helpers/faces/baked-face.ts";
import { withChromium } from "../../bench/with-chromium.ts";
import { type ExampleCheck, expect } from "./example-check.ts";

const SPEECH = fileURLToPath(new URL("../../../test/fixtures/speech/weather-en.wav", import.meta.url));

export const checkEngineInATab: ExampleCheck = {
  example: "engine-in-a-tab",
  async check({ project, report }) {
    const face = join(project.folder, "face.imx");
    await writeFile(face, await writeImx(await bakedFace("photograph")));
    const server = project.start("npm", ["start"], { PORT: String(await findFreePort()) });
    const [address] = await server.printed(/http:\S+/);
    await withChromium(
      async (browser) => {
        const page = await browser.newPage();
        await page.goto(address);
        await page.setInputFiles("#face", face);
        await page.waitForSelector("#speech:enabled");
        const looks = () => page.evaluate<string>("document.querySelector('canvas').toDataURL()");
        const before = await looks();
        await page.setInputFiles("#speech", SPEECH);
        await page.waitForFunction("document.querySelector('[role=status]').textContent === 'Speaking …'");
        const startedMs = performance.now();
        await page.waitForFunction("document.querySelector('[role=status]').textContent !== 'Speaking …'");
        const said = await page.textContent("[role=status]");
        expect(said === "", `the page says: ${said}`);
        expect((await looks()) !== before, "the face has not moved");
        report(`the face spoke for ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
      },
      ["--autoplay-policy=no-user-gesture-required"],
    );
  },
};
