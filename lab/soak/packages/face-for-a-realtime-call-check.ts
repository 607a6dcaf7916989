// The page of the example shows a face that moves, and opens its calls through its own server.
import { findChromium, withChromium } from "../../bench/with-chromium.ts";
import { type ExampleCheck, expect } from "./example-check.ts";
import { untilFace } from "./until-face.ts";

export const checkFaceForARealtimeCall: ExampleCheck = {
  example: "face-for-a-realtime-call",
  async check({ project, environment, service, report }) {
    const server = project.start("npm", ["start"], { ...environment, PORT: "0" });
    const [url] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
    const refused = await fetch(`${url}/call`, { method: "POST", body: "no offer" });
    expect(refused.status >= 400 && refused.status < 500, `a wrong offer gets ${refused.status}`);
    expect(!(await refused.text()).includes(service.apiSecret), "the page gets the API secret");
    if (!findChromium()) return report("no Chromium: the face was not looked at");
    await withChromium(async (browser) => {
      const page = await browser.newPage();
      await page.goto(url);
      await untilFace(page);
    });
  },
};
