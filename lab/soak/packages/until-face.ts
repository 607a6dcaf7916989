import type { Page } from "playwright-core";

const SHOWN_WITHIN_MS = 60_000;

/** Resolves when the page's `<avatar-face>` moves. Rejects with what the page says of it if it does not. */
export async function untilFace(page: Page): Promise<void> {
  await page.locator("avatar-face").waitFor({ state: "attached", timeout: SHOWN_WITHIN_MS });
  const problem = await page.evaluate(`
    new Promise((resolve) => {
      const face = document.querySelector("avatar-face");
      const look = () => {
        if (face.error) resolve(face.error.message);
        else if (face.shadowRoot?.querySelector(".root").dataset.face === "alive") resolve("");
      };
      setInterval(look, 100);
      setTimeout(() => resolve("it did not show: " + face.state), ${SHOWN_WITHIN_MS});
    })
  `);
  if (problem !== "") throw new Error(`The face: ${problem}`);
}
