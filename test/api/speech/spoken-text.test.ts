// What is spoken of a text, and what is refused before.
import t from "tap";
import { speakableText } from "../../../api/speech/spoken-text.ts";

t.test("tags of expressions are neither spoken nor counted", async (t) => {
  const words = "a".repeat(4_999);
  t.equal(speakableText(`[happy:0.5] ${words} [sad]`, "en", "text"), `${words} `);
  t.equal(speakableText("\\[happy] and [laughs]", "en", "text"), "\\[happy] and [laughs]", "what is no tag stays");
  t.throws(() => speakableText(`[happy] aa${words}`, "en", "input"), {
    code: "VALIDATION_ERROR",
    message: /input.*5000/,
  });
  t.throws(() => speakableText(" [happy] [sad] ", "en", "text"), { message: /no words/ });
  t.throws(() => speakableText("[happy]".repeat(200_000), "en", "text"), { code: "VALIDATION_ERROR" }, "at once");
});
