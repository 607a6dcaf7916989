// Texts of the view Create in Spanish.
import type { Texts } from "../en/index.ts";

export const create: Texts["create"] = { title: "Crear" };
