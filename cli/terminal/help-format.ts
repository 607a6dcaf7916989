// How the help of commands is laid out.
import type { Argument, Command, Help, HelpConfiguration } from "commander";

/** Narrower descriptions beside their word are hard to read: they go below it. */
const MIN_BESIDE_COLUMNS = 36;
const MIN_WRAPPED_COLUMNS = 20;
const INDENT = "  ";
/** Where nothing tells the width. */
const COLUMNS = 80;

/** Lists commands by name, those of a group with their arguments. Descriptions stand below what they describe where the
 *  terminal is narrow. */
export const HELP_FORMAT: HelpConfiguration = {
  minWidthToWrap: MIN_WRAPPED_COLUMNS,
  subcommandTerm: (command: Command) => {
    const aliases = command.aliases();
    if (aliases.length > 0) return `${command.name()} (${aliases.join(", ")})`;
    const isOfGroup = command.parent?.parent != null;
    return [command.name(), ...(isOfGroup ? command.registeredArguments.map(wordOf) : [])].join(" ");
  },
  formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    if (description === "") return INDENT + term;
    const columns = helper.helpWidth ?? COLUMNS;
    const beside = columns - termWidth - 2 * INDENT.length;
    const isBeside = beside >= MIN_BESIDE_COLUMNS;
    const indent = isBeside ? " ".repeat(termWidth + 2 * INDENT.length) : INDENT.repeat(3);
    const lines = helper.boxWrap(description, isBeside ? beside : columns - indent.length).split("\n");
    if (!isBeside) return [INDENT + term, ...lines.map((line) => indent + line)].join("\n");
    return [`${INDENT}${term.padEnd(termWidth)}${INDENT}${lines[0]}`, ...lines.slice(1).map((l) => indent + l)].join(
      "\n",
    );
  },
};

function wordOf(argument: Argument): string {
  return argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;
}
