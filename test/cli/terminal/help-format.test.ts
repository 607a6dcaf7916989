import { Command } from "commander";
import t from "tap";
import { HELP_FORMAT } from "../../../cli/terminal/help-format.ts";

function helpAt(columns: number): string[] {
  const program = new Command("avatar")
    .configureHelp(HELP_FORMAT)
    .configureOutput({ getOutHelpWidth: () => columns, getOutHasColors: () => false })
    .description("Talking faces: make them, talk with them and film them, here or at a service.");
  program
    .command("inspect")
    .alias("open")
    .alias("info")
    .argument("<bundle>")
    .description("Check a bundle and show what it has in it");
  program.command("agents").command("show").argument("<agent>").argument("[text]").description("Show one");
  program.option("-o, --output <file>", "film to write (default: the audio file's name with .mp4)").option("--bare");
  const nested = program.commands[1].helpInformation();
  return `${program.helpInformation()}\n${nested}`.trimEnd().split("\n");
}

t.test("descriptions stand beside what they describe", (t) => {
  const lines = helpAt(80);
  t.ok(lines.every((line) => line.length <= 80));
  t.ok(lines.includes("  inspect (open, info)  Check a bundle and show what it has in it"), lines.join("\n"));
  t.ok(lines.includes("  show <agent> [text]  Show one"), "commands of a group have their arguments");
  t.ok(lines.includes("  --bare"));
  t.end();
});

t.test("in a narrow terminal they stand below, and no line is wider than it", (t) => {
  const lines = helpAt(40);
  t.same(
    lines.filter((line) => line.length > 40),
    [],
  );
  const at = lines.indexOf("  inspect (open, info)");
  t.same(lines.slice(at + 1, at + 3), ["      Check a bundle and show what it", "      has in it"]);
  t.end();
});
