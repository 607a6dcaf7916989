// Hindi.
import type { Language } from "./language.ts";

export const HI: Language = {
  englishNames: ["hindi"],
  greeting: (name) => (name ? `नमस्ते, मैं ${name} हूँ। मैं आपकी क्या मदद करूँ?` : "नमस्ते। मैं आपकी क्या मदद करूँ?"),
  fixedSentences: {
    failed: "माफ़ कीजिए, मैं अभी जवाब नहीं दे सकता। कृपया फिर से पूछें।",
    "no-llm": "मैं आपको सुन सकता हूँ, लेकिन जवाब देने के लिए मेरे पास भाषा मॉडल नहीं है।",
    "not-understood": "माफ़ कीजिए, मैं समझ नहीं पाया। क्या आप दोहरा सकते हैं?",
  },
  script: /\p{Script=Devanagari}/gu,
};
