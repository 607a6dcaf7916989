// The depth limit of the elements of a page.
import t from "tap";
import { cutAtDepth } from "../../../../api/knowledge/text/cut-at-depth.ts";

t.test("a page within the depth limit is kept unchanged", async (t) => {
  for (const html of ["", "Only words", "<ul><li><b>One</b></li></ul>", "<p>a < b</p><!-- <i><i><i><i> -->"]) {
    t.equal(cutAtDepth(html, 3), html);
  }
});

t.test("a page is cut at the first element that is too deep", async (t) => {
  t.equal(cutAtDepth("<p>Before</p><div><div><div>deep</div></div></div><p>After</p>", 2), "<p>Before</p><div><div>");
  t.equal(cutAtDepth("<i><i class='a'\n title='<'><i>", 1), "<i>");
});

t.test("elements that end implicitly are not nested in each other", async (t) => {
  const lines = `<ul>${"<li>One<br><img src=a><hr/>".repeat(100)}</ul>${"<p>Two".repeat(100)}`;
  t.equal(cutAtDepth(lines, 3), lines);
});

t.test("the time grows with the page, not with the square of its depth", async (t) => {
  const cpuMs = (html: string) => {
    const before = process.cpuUsage();
    cutAtDepth(html, 1_000);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const flat = "<div></div>".repeat(300_000);
  cutAtDepth(flat, 1_000);
  t.ok(cpuMs("<div>".repeat(600_000)) < cpuMs(flat), "nothing is parsed beyond the depth");
});
