// Who is signed in, and where.
import { element } from "../shared/element.ts";
import { findElement } from "../shared/find-element.ts";
import type { ListedSession, Person } from "./console-client.ts";

export interface AccountActions {
  signOut(): void;
  revoke(session: ListedSession): void;
}

const METHODS: Readonly<Record<ListedSession["method"], string>> = {
  link: "with a link",
  secret: "with an API secret",
  issuer: "with an issuer",
};
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export class AccountView {
  readonly #actions: AccountActions;

  constructor(actions: AccountActions) {
    this.#actions = actions;
    findElement("sign-out", HTMLButtonElement).addEventListener("click", () => actions.signOut());
  }

  show({ email, plan, user_id }: Person): void {
    findElement("email", HTMLElement).textContent = email;
    findElement("plan", HTMLElement).textContent = plan;
    findElement("user-id", HTMLElement).textContent = user_id;
    findElement("signed-in", HTMLElement).hidden = false;
  }

  showSessions(sessions: readonly ListedSession[]): void {
    findElement("sessions-panel", HTMLElement).hidden = false;
    findElement("sessions", HTMLUListElement).replaceChildren(...sessions.map((session) => this.#row(session)));
  }

  hide(): void {
    findElement("signed-in", HTMLElement).hidden = true;
  }

  #row(session: ListedSession): HTMLElement {
    const time = TIME.format(new Date(session.last_used_at));
    const what = `Signed in ${METHODS[session.method]} from ${session.address}, last used ${time}`;
    const end = element("button", { type: "button" }, "End");
    end.setAttribute("aria-label", `End the session from ${session.address}, last used ${time}`);
    end.addEventListener("click", () => this.#actions.revoke(session));
    return element(
      "li",
      {},
      element(
        "div",
        {},
        element("span", {}, session.is_current ? `This session. ${what}` : what),
        element("p", { className: "note" }, session.user_agent || "Unknown browser"),
      ),
      !session.is_current && end,
    );
  }
}
