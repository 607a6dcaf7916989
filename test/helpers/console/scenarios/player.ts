// Files of the person's own computer.
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { writeWav } from "../../../../src/signal/audio/wav.ts";
import { bakedFace } from "../../faces/baked-face.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

export const playerScenario: ConsoleScenario = {
  name: "the player shows faces, says recordings, and tells what is wrong with other files, without a request",
  async run({ t, open, assertFits }) {
    const page = await open({ path: "/player", width: 320 });
    const sent: string[] = [];
    await page.getByText("Nothing is uploaded").waitFor();
    await assertFits(page, "empty");
    page.on("request", (request) => request.method() !== "GET" && sent.push(request.url()));
    const give = (name: string, mimeType: string, bytes: Uint8Array) =>
      page.locator("input[type=file]").setInputFiles({ name, mimeType, buffer: Buffer.from(bytes) });
    const face = await bakedFace("drawing");
    const imx = await writeImx(face);
    await give("nova.imx", "", imx);
    await page.getByText(face.manifest.family, { exact: true }).waitFor();
    await page.locator(".player-stage canvas").waitFor();
    await assertFits(page, "a face");

    const tone = Int16Array.from({ length: 16_000 }, (_, index) => 8_000 * Math.sin(index / 8));
    await give("hello.wav", "audio/wav", writeWav({ samples: tone, sampleRateHz: 16_000 }));
    await page.getByRole("heading", { name: "hello.wav" }).waitFor();
    await page.getByText("0:01", { exact: true }).waitFor();
    t.equal(await page.getByRole("button", { name: "Say it again" }).isEnabled(), true);
    await assertFits(page, "a recording");

    await give("cut.imx", "", imx.subarray(0, imx.length / 2));
    await page.getByText(/cut\.imx is damaged or cut off/).waitFor();
    await give("<b>notes</b>.txt", "text/plain", Buffer.from("Hello"));
    await page.getByText(/<b>notes<\/b>\.txt is no \.imx face/).waitFor();
    await give("none.mp4", "video/mp4", new Uint8Array());
    await page.getByText("none.mp4 is empty.").waitFor();
    await give("broken.mp4", "video/mp4", Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom and no more", "latin1"));
    await page.getByText(/broken\.mp4 cannot be played/).waitFor();
    await assertFits(page, "a problem");
    t.same(sent, [], "nothing was uploaded");
  },
};
