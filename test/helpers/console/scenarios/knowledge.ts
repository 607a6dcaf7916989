// Knowledge bases: an organization, a document from disk, its build, a search, and deletion.
import { insertPassages } from "../../../../api/knowledge/search/passage-store.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

const NAME = "<img src=x onerror=alert(1)> handbook";
const TEXT = "Handles are guaranteed for life. <b>Teapots</b> are not.";

export const knowledgeScenario: ConsoleScenario = {
  name: "a document is added in two clicks, searched with its source, and deleted; refused builds are explained",
  // A file that is no document, a build that runs already, and the other tab that shows what was deleted.
  expected: /status of (415|409|404) .*\/knowledge\//,
  async run({ t, api, open, assertFits }) {
    const page = await open({ path: "/knowledge", width: 320, theme: "dark" });
    await page.getByLabel("Name of the organization").fill("Museum of the Sea");
    await assertFits(page, "without an organization");
    await page.keyboard.press("Enter");
    await page.getByText("No knowledge base yet.").waitFor();
    await assertFits(page, "without a knowledge base");

    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Add documents" }).focus();
    await page.keyboard.press("Enter");
    await (await chooser).setFiles([
      { name: `${NAME}.txt`, mimeType: "text/plain", buffer: Buffer.from(TEXT) },
      { name: "empty.md", mimeType: "text/markdown", buffer: Buffer.from("") },
      { name: "clip.mov", mimeType: "video/quicktime", buffer: Buffer.from("moov") },
      { name: "no.pdf", mimeType: "application/pdf", buffer: Buffer.from("words") },
    ]);
    await page.getByText("The build has begun.").waitFor();
    await page.getByText("It is empty.").waitFor();
    await page.getByText("This kind of file cannot be read.").waitFor();
    await page.getByText("The content is not a pdf document").waitFor();
    await page.getByText("waits to be built").waitFor();
    await assertFits(page, "with a document");
    await page.getByRole("link", { name: NAME }).click();
    await page.getByRole("heading", { name: NAME, level: 1 }).waitFor();
    await page.getByRole("button", { name: "Build", exact: true }).press("Enter");
    await page.getByText("It is being built already.").waitFor();

    const { database } = api.services;
    const base = await database
      .selectFrom("knowledge_bases")
      .selectAll()
      .where("name", "=", NAME)
      .executeTakeFirstOrThrow();
    const build = await database
      .selectFrom("knowledge_builds")
      .selectAll()
      .where("kb_id", "=", base.id)
      .executeTakeFirstOrThrow();
    const file = await database
      .selectFrom("knowledge_files")
      .selectAll()
      .where("organization_id", "=", base.organization_id)
      .executeTakeFirstOrThrow();
    const source = { fileId: file.id, fileName: file.file_name, language: "english", vector: null };
    await insertPassages(database, build.id, [{ ...source, heading: "Guarantee", text: TEXT }]);
    await database.updateTable("knowledge_builds").set({ is_running: false }).where("id", "=", build.id).execute();
    const built = { status: "ready", built_rev: base.content_rev, built_id: build.id } as const;
    await database.updateTable("knowledge_bases").set(built).where("id", "=", base.id).execute();
    await page.getByText("Searches cover all its documents.").waitFor();
    await page.getByLabel("What would someone ask?").fill("guaranteed handles");
    await page.keyboard.press("Enter");
    await page.getByText("1 passage found").waitFor();
    t.equal(await page.getByRole("blockquote").textContent(), TEXT, "markup is text");
    await page.getByText(`${NAME}.txt · Guarantee`).waitFor();
    await page.getByText("Add a document by its address").click();
    await page.getByLabel("Address (URL)").fill("ftp://museum.example/a.txt");
    await page.keyboard.press("Enter");
    await page.getByText("It must begin with http:// or https://.").waitFor();
    await assertFits(page, "a knowledge base");

    const wide = await open({ path: `/knowledge/${base.id}`, language: "es" });
    await wide.getByRole("heading", { name: NAME, level: 1 }).waitFor();
    await assertFits(wide, "wide, in Spanish");
    await wide.getByRole("button", { name: "Eliminar esta base de conocimiento" }).click();
    await wide.getByRole("button", { name: "Eliminar", exact: true }).click();
    await wide.getByText("Aún no hay ninguna base de conocimiento.").waitFor();
    await wide.getByRole("link", { name: "Todos los documentos" }).click();
    await wide.getByRole("button", { name: `Eliminar ${NAME}.txt` }).click();
    await assertFits(wide, "before a document is deleted");
    await wide.keyboard.press("Escape");
    await wide.getByRole("button", { name: `Eliminar ${NAME}.txt` }).press("Enter");
    await wide.getByRole("button", { name: "Eliminar", exact: true }).click();
    await wide.getByText("Aún no hay documentos.").waitFor();
    t.same(await database.selectFrom("knowledge_files").selectAll().where("id", "=", file.id).execute(), []);
  },
};
