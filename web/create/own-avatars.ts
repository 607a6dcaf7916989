// The list of the visitor's avatars.
import type { AgentClient } from "./agent-client.ts";
import type { CreateContext } from "./create-context.ts";
import { type OwnAvatar, OwnAvatarsView } from "./own-avatars-view.ts";
import type { CreateTexts } from "./texts/load-create-texts.ts";

export interface OwnAvatarsOptions {
  client: Pick<AgentClient, "list" | "delete">;
  open(code: string): void;
  /** An avatar was deleted. */
  onDeleted(code: string): void;
}

export class OwnAvatars {
  readonly #texts: CreateTexts["own"];
  readonly #options: OwnAvatarsOptions;
  readonly #view: OwnAvatarsView;
  #avatars: OwnAvatar[] = [];

  constructor(context: CreateContext, options: OwnAvatarsOptions) {
    this.#texts = context.texts.own;
    this.#options = options;
    this.#view = new OwnAvatarsView(context, {
      open: options.open,
      delete: (avatar) => void this.#delete(avatar),
      more: () => void this.#load(this.#avatars.length),
    });
  }

  /** Loads the newest. */
  async refresh(): Promise<void> {
    await this.#load(0);
  }

  /** Shows none. */
  clear(): void {
    this.#avatars = [];
    this.#view.show([], { hasMore: false });
  }

  async #load(offset: number): Promise<void> {
    try {
      const { avatars, hasMore } = await this.#options.client.list(offset);
      this.#avatars = [...this.#avatars.slice(0, offset), ...avatars];
      this.#view.show(this.#avatars, { hasMore });
    } catch (error) {
      // The page can be used without the list; what is shown stays.
      this.#view.showProblem(this.#avatars.length > 0 && error instanceof Error ? error.message : "");
    }
  }

  async #delete({ code, name }: OwnAvatar): Promise<void> {
    if (!confirm(name ? this.#texts.confirm(name) : this.#texts.confirmUnnamed)) return;
    try {
      await this.#options.client.delete(code);
      this.#options.onDeleted(code);
      await this.refresh();
    } catch (error) {
      this.#view.showProblem(error instanceof Error ? error.message : String(error));
    }
  }
}
