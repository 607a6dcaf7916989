// Zod as the page's policy allows it: without code made of texts.
import * as z from "zod/mini";

z.config({ jitless: true });

export { z };
