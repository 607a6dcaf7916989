// The command line as data: what `avatar __schema` prints, and what completions are made of.
import type { Command } from "commander";

export interface OptionDescription {
  flags: string;
  /** The words that a person types for it, such as -o and --output. */
  names: string[];
  description: string;
  takesValue: boolean;
  choices: string[];
}

export interface ArgumentDescription {
  name: string;
  required: boolean;
  variadic: boolean;
  choices: string[];
}

export interface CommandDescription {
  /** With the commands it is part of: "voices pull". */
  name: string;
  /** Whole names too. */
  aliases: string[];
  description: string;
  arguments: ArgumentDescription[];
  options: OptionDescription[];
}

/** Every command that can be run or has commands of its own, in the order of the help. Hidden ones are left out. */
export function describeProgram(program: Command): CommandDescription[] {
  const visible = program.createHelp().visibleCommands(program);
  return program.commands.filter((part) => visible.includes(part)).flatMap((part) => describeCommand(part, ""));
}

function describeCommand(command: Command, before: string): CommandDescription[] {
  const name = `${before}${command.name()}`;
  const description: CommandDescription = {
    name,
    aliases: command.aliases().map((alias) => `${before}${alias}`),
    description: command.description(),
    // One without a description is taken only to be refused with a better answer.
    arguments: command.registeredArguments
      .filter(({ description }) => description !== "")
      .map((argument) => ({
        name: argument.name(),
        required: argument.required,
        variadic: argument.variadic,
        choices: [...(argument.argChoices ?? [])],
      })),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => ({
        flags: option.flags,
        names: [option.short, option.long].filter((word) => word !== undefined && word !== null),
        description: option.description,
        takesValue: option.required || option.optional,
        choices: [...(option.argChoices ?? [])],
      })),
  };
  return [description, ...command.commands.flatMap((part) => describeCommand(part, `${name} `))];
}
