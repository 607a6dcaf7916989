// Asks for what the first view needs at once, beside the texts, not one after the other.
import type { ConsoleAccess } from "../data/console-access.ts";
import { ConsoleClient } from "../data/console-client.ts";
import type { Arrival } from "../sign-in/arrival.ts";
import type { Language } from "../texts/languages.ts";
import { viewsOf } from "./views.ts";

export interface FirstViewOptions {
  arrival: Arrival;
  /** Address of the start page, with a slash at the end. */
  root: URL;
  language: Language;
  /** Of the page. */
  address: URL;
}

/** Who is signed in, for the first who asks; undefined where what the person came with is used up first. The view that
 *  the address names is on its way when the answer is there. */
export function expectFirstView(options: FirstViewOptions): Promise<ConsoleAccess> | undefined {
  const { arrival, root, language, address } = options;
  if (arrival.kind !== "open" && arrival.kind !== "device") return undefined;
  const access = new ConsoleClient(root).access();
  access.then(
    (found) => {
      if (!found.signed_in || arrival.kind === "device") return;
      const views = viewsOf(found);
      const [name] = address.pathname.slice(new URL("console/", root).pathname.length).split("/");
      const view = views.find((each) => each.name === name) ?? views[0];
      // What does not come is loaded again when it is shown, which tells of it.
      view?.load().catch(() => undefined);
      view?.loadTexts?.(language).catch(() => undefined);
    },
    () => undefined,
  );
  return access;
}
