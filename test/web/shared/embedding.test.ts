import t from "tap";
import {
  type EmbeddingChoice,
  embeddingCode,
  embeddingTags,
  FIRST_CHOICE,
  readChoice,
  writeChoice,
} from "../../../web/shared/embedding.ts";

const SERVICE = new URL("https://avatars.example/a/");
const GREEN: EmbeddingChoice = { ...FIRST_CHOICE, agentId: "NOVA", themeColor: "green", frameStyle: "circle" };

t.test("the code for each form has the choices that the form takes, and no defaults", async (t) => {
  const codeOf = (embedding: EmbeddingChoice["embedding"]) => embeddingCode({ ...GREEN, embedding }, SERVICE);
  t.equal(
    codeOf("floating"),
    '<script src="https://avatars.example/a/widget.js" data-agent-id="NOVA" data-theme-color="green" data-frame-style="circle" async></script>',
  );
  t.match(codeOf("chat"), 'data-form="chat" data-agent-id="NOVA" data-theme-color="green" async');
  t.match(
    codeOf("inline"),
    /^<avatar-widget agent-id="NOVA" theme-color="green" frame-style="circle" style=".*<script/s,
  );
  t.match(codeOf("frame"), 'src="https://avatars.example/a/share/NOVA?embed_theme=light&amp;theme_color=green"');
  t.match(codeOf("react"), /serviceUrl="https:\/\/avatars.example\/a"\n {6}agentId="NOVA"\n {6}themeColor="green"/);
  t.match(codeOf("npm"), /init\(\{\n {2}serviceUrl: "https:\/\/avatars.example\/a",\n {2}agentId: "NOVA",/);
});

t.test("no agent's code ends an attribute or a string", async (t) => {
  const agentId = `"><script>alert(1)</script>{'`;
  for (const embedding of ["floating", "inline", "frame"] as const) {
    const code = embeddingCode({ ...FIRST_CHOICE, agentId, embedding }, SERVICE);
    t.notMatch(code, "<script>", embedding);
  }
  const choice = { ...FIRST_CHOICE, agentId, embedding: "npm" } as const;
  t.match(embeddingCode(choice, SERVICE), `agentId: ${JSON.stringify(agentId)},`);
  t.match(embeddingCode({ ...choice, embedding: "react" }, SERVICE), `agentId={${JSON.stringify(agentId)}}`);
});

t.test("the preview reads the choices that the console wrote, and makes nothing of others", async (t) => {
  t.same(readChoice(writeChoice(GREEN)), GREEN);
  t.equal(readChoice(""), undefined);
  t.equal(readChoice(writeChoice({ ...GREEN, theme: "javascript:" as "dark" })), undefined);
  const tags = embeddingTags({ ...GREEN, agentId: "../evil", embedding: "frame" }, SERVICE);
  t.match(tags, [{ name: "iframe", attributes: { src: /^https:\/\/avatars.example\/a\/share\/\.\.%2Fevil\?/ } }]);
});
