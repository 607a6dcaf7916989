// How a person operates the console: by mouse, by touch, or by keyboard alone.
import type { FileChooser, Locator, Page } from "playwright-core";

export interface Hand {
  /** Presses a control, in the page or in a frame of it. Of a radio button, its label. */
  press(control: Locator): Promise<void>;
  /** Writes into a field, which is empty before. */
  write(field: Locator, text: string): Promise<void>;
}

/** The choice of a file that pressing the control opens. */
export async function chooseFile(page: Page, hand: Hand, control: Locator, file: string): Promise<void> {
  const opened: Promise<FileChooser> = page.waitForEvent("filechooser");
  await Promise.all([opened, hand.press(control)]);
  await (await opened).setFiles(file);
}

/** Opens a view from the menu, or from the sheet below "More" where the menu has no room for it. */
export async function openView(page: Page, hand: Hand, name: string): Promise<void> {
  const named = { name, exact: true } as const;
  const menu = page.getByRole("navigation");
  await menu.first().waitFor();
  const more = menu.getByRole("button", { name: "More" });
  const link = menu.getByRole("link", named);
  if ((await link.count()) === 0) {
    await hand.press(more);
    await hand.press(page.getByRole("dialog").getByRole("link", named));
  } else await hand.press(link);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
}

export const mouse: Hand = {
  press: (control) => control.click(),
  async write(field, text) {
    await field.click();
    await field.pressSequentially(text);
  },
};

export const finger: Hand = {
  press: (control) => control.tap(),
  async write(field, text) {
    await field.tap();
    await field.pressSequentially(text);
  },
};
