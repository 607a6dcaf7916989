// Why: a talking video may be drawn on a canvas that its caller chose, from a bundle that is baked for it and kept for
// the next one, until its agent is deleted.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const videoCanvasesMigration: Migration = {
  name: "0036-video-canvases",
  async up(transaction) {
    await sql`
      alter table videos
        -- As the caller chose it; null for the agent's canvas.
        add column canvas_width_px integer,
        add column canvas_height_px integer,
        -- Of the film, once it is made.
        add column width_px integer,
        add column height_px integer,
        -- Pixels of the film for each pixel of the portrait.
        add column enlargement real,
        -- The object that was baked for the film's canvas.
        add column bundle_key text,
        add check ((canvas_width_px is null) = (canvas_height_px is null));
    `.execute(transaction);
  },
};
