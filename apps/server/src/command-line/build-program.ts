import { Argument, Command as Commander, Option } from 'commander';
import { version } from '../version.ts';
import { ApiRefusal } from './account-api.ts';
import { type Command, CommandFailure } from './command.ts';
import { commandGroups, commands } from './commands.ts';

/** The program with every command of the table. */
export function buildProgram(): Commander {
  const program = new Commander('jackfield')
    .description('An open communications platform that you run yourself.')
    .version(version, '--version', 'prints the version')
    .showSuggestionAfterError();
  const groups = new Map<string, Commander>();
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ');
    if (second === undefined) {
      addCommand(program, first, command);
      continue;
    }
    const group = groups.get(first) ?? program.command(first).description(commandGroups[first] ?? '');
    groups.set(first, group);
    addCommand(group, second, command);
  }
  return program;
}

function addCommand(parent: Commander, word: string, command: Command): void {
  const added = parent.command(word).description(command.summary);
  for (const { name, summary, choices, isOptional } of command.arguments ?? []) {
    const argument = new Argument(isOptional ? `[${name}]` : `<${name}>`, summary);
    added.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const { flags, summary, read, choices, isRequired, default: value } of command.options ?? []) {
    const option = new Option(flags, summary);
    if (read !== undefined) option.argParser(read);
    if (choices !== undefined) option.choices(choices);
    if (isRequired) option.makeOptionMandatory();
    added.addOption(value === undefined ? option : option.default(value));
  }
  added.action(async (...given: readonly unknown[]) => {
    const values = given.slice(0, command.arguments?.length ?? 0);
    const args = values.filter((value): value is string => value !== undefined);
    try {
      refuseEmpty(command, args, added);
      await command.run(args, added.opts() as never);
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      const sentence = error instanceof ApiRefusal ? asWritten(error.message, command) : error.message;
      process.stderr.write(`${sentence}\n`);
      process.exitCode = 1;
    }
  });
}

/** Text of no length is a variable of the shell that was not set: no command means it. */
function refuseEmpty(command: Command, args: readonly string[], added: Commander): void {
  const argument = command.arguments?.[args.indexOf('')];
  if (argument !== undefined)
    throw new CommandFailure(`<${argument.name}> is an empty text: name ${argument.summary}.`);
  const given = added.opts();
  const option = added.options.find((each) => given[each.attributeName()] === '');
  if (option !== undefined)
    throw new CommandFailure(`${option.long} is an empty text: give it a value, or leave it out.`);
}

/** Names the option or the argument where the API names the parameter that the command made of it. */
function asWritten(sentence: string, { arguments: taken = [], options = [] }: Command): string {
  const [parameter = ''] = sentence.split(' ', 1);
  const option = `--${parameter.replaceAll('_', '-')}`;
  const isOption = options.some(({ flags }) => flags.split(/[ ,]+/).includes(option));
  const isArgument = taken.some(({ name }) => name === parameter);
  const written = isOption ? option : isArgument ? `<${parameter}>` : parameter;
  return written + sentence.slice(parameter.length);
}
