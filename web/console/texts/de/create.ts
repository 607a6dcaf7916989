// Texts of the view Create in German.
import type { Texts } from "../en/index.ts";

export const create: Texts["create"] = { title: "Erstellen" };
