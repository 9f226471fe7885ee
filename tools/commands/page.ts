import type { Command, CommandArgument, CommandOption } from '@jackfield/server/src/command-line/command.ts';
import { commandGroups, commands } from '@jackfield/server/src/command-line/commands.ts';

export const pagePath = 'docs/reference/commands.md';

/** The mark of a command over the API. */
const ofProfile = '--profile <name>';

const introduction = `# All commands

After this page you know every command of \`jackfield\`, with its arguments, options and defaults. [The command line](command-line.md) says how to choose a server and an account. The page is written by
\`npx node tools/commands/write-page.ts\` from the definitions that \`jackfield --help\` and the completion of shells show.

Commands that use the API of an account have two options more: \`--profile <name>\`, the server and account as \`jackfield profile add\` keeps it, and \`--json\`, which prints what the API answers.

## Without a group
`;

/** The whole page, from the definitions of the commands. */
export function pageText(): string {
  const single = commands.filter(({ name }) => !name.includes(' '));
  const sections = Object.entries(commandGroups).map(([group, about]) => {
    const of = commands.filter(({ name }) => name.startsWith(`${group} `));
    return `\n## jackfield ${group}\n\nWorks on ${about}.\n${of.map(commandText).join('')}`;
  });
  return [introduction, ...single.map(commandText), ...sections].join('');
}

function commandText(command: Command): string {
  const { name, summary, arguments: taken = [], options = [] } = command;
  const names = taken.map((each) => (each.isOptional ? `[${each.name}]` : `<${each.name}>`));
  const overApi = options.some(({ flags }) => flags === ofProfile);
  const own = options.filter(({ flags }) => !overApi || (flags !== ofProfile && flags !== '--json'));
  const rows = [...taken.map(argumentRow), ...own.map(optionRow)];
  const table =
    rows.length === 0 ? [] : ['\n| argument or option | meaning | default |\n|---|---|---|\n', ...rows];
  const usage = ['jackfield', name, ...names].join(' ');
  const kind = overApi ? ' It uses the API of an account.' : '';
  return [`\n### ${name}\n\n\`${usage}\` ${inText(summary)}.${kind}\n`, ...table].join('');
}

function argumentRow({ name, summary, choices }: CommandArgument): string {
  return row(`<${name}>`, choices === undefined ? summary : `${summary}: ${choices.join(', ')}`, '');
}

function optionRow({ flags, summary, isRequired, default: byDefault = '' }: CommandOption): string {
  return row(flags, isRequired ? `${summary}; required` : summary, String(byDefault));
}

function row(written: string, meaning: string, byDefault: string): string {
  return `| \`${written}\` | ${inText(meaning)} | ${byDefault} |\n`;
}

/** Placeholders such as <call> would be elements of HTML. */
function inText(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('|', '\\|');
}
