// What a visitor has begun and not ordered yet. A flow that is closed hands it to the next one, in another language.
import type { PictureEdit } from "../../sdk/engine/tab/bake/bake-messages.ts";
import type { OrderKind } from "./agent-client.ts";
import type { Choices } from "./order-view.ts";

/** A picture in this tab, and how it was turned and cropped. */
export interface DraftPicture {
  blob: Blob;
  edit: PictureEdit;
}

/** What was chosen; an empty voice if none was. */
export interface CreateDraft extends Choices {
  /** Undefined: words describe the face, and `character` is these. */
  picture?: DraftPicture;
  kind: OrderKind;
  /** The visitor was choosing the part of the picture. */
  isFraming: boolean;
}
