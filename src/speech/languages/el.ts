// Greek.
import type { Language } from "./language.ts";

export const EL: Language = {
  englishNames: ["greek"],
  greeting: (name) => (name ? `Γεια σας, είμαι ${name}. Πώς μπορώ να βοηθήσω;` : "Γεια σας. Πώς μπορώ να βοηθήσω;"),
  fixedSentences: {
    failed: "Συγγνώμη, δεν μπορώ να απαντήσω τώρα. Ρωτήστε με ξανά.",
    "no-llm": "Σας ακούω, αλλά δεν έχω γλωσσικό μοντέλο για να απαντήσω.",
    "not-understood": "Συγγνώμη, δεν κατάλαβα. Μπορείτε να το επαναλάβετε;",
  },
  script: /\p{Script=Greek}/gu,
};
