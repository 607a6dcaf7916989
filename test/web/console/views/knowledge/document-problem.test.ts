import t from "tap";
import { documentProblem } from "../../../../../web/console/views/knowledge/document-problem.ts";

t.test("a file that is no document is told before it is sent, whatever it is called", async (t) => {
  for (const name of ["a.pdf", "A.DOCX", "notes.Markdown", "<b>.csv", ".html"]) {
    t.equal(documentProblem({ name, size: 1 }), null, name);
  }
  for (const name of ["a.png", "pdf", "a.pdf.exe", ""]) t.equal(documentProblem({ name, size: 1 }), "wrongKind", name);
  t.equal(documentProblem({ name: "a.txt", size: 0 }), "emptyFile");
  t.equal(documentProblem({ name: "a.txt", size: 100_000_000 }), null);
  t.equal(documentProblem({ name: "a.txt", size: 100_000_001 }), "tooLarge");
});
