// What the embed page's address says about its look and its first words.
import t from "tap";
import { readLook } from "../../../web/embed/look-parameters.ts";

const read = (query: string) => readLook(`https://avatars.example/embed/nova?${query}`);
const NOTHING = {
  isGadget: false,
  theme: "auto",
  colour: undefined,
  chatMode: undefined,
  welcome: "",
  questions: [],
  greeting: "",
  greetingLanguage: undefined,
};

t.test("the contract's parameters are read", (t) => {
  t.same(read(""), NOTHING);
  const query = new URLSearchParams({
    deployment: "gadget",
    embed_theme: "dark",
    theme_color: "pink",
    chat_mode: "voice",
    welcomeMsg: "Hello there",
    greetingMsg: "<b>Guten</b> Tag",
    greetingLang: "de-AT",
    suggestedQuestions: "One?|Two?|One?||Three?|Four?",
  });
  t.same(read(query.toString()), {
    isGadget: true,
    theme: "dark",
    colour: "pink",
    chatMode: "voice",
    welcome: "Hello there",
    questions: ["One?", "Two?", "Three?"],
    greeting: "<b>Guten</b> Tag",
    greetingLanguage: "de-AT",
  });
  t.same(read("suggestedQuestions=One?&suggestedQuestions=Two?").questions, ["One?", "Two?"]);
  t.end();
});

t.test("hostile values are left out", (t) => {
  const long = "x".repeat(501);
  const query = new URLSearchParams({
    deployment: "__proto__",
    embed_theme: "constructor",
    theme_color: "red; background: url(//evil.example)",
    chat_mode: "<script>",
    welcomeMsg: long,
    greetingMsg: long,
    greetingLang: "de&x=1",
    suggestedQuestions: "y".repeat(121),
  });
  t.same(read(query.toString()), NOTHING);
  t.equal(read("greetingMsg=one%0Atwo%00three").greeting, "one two three", "a text is one line");
  t.end();
});
