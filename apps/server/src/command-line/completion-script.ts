import type { Command } from './command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export interface CommandTable {
  readonly commands: readonly Command[];
  /** The first words of groups, with what their commands are about. */
  readonly groups: Readonly<Record<string, string>>;
}

interface Words {
  /** What was typed in front, without `jackfield`: empty, a group or a command. */
  readonly behind: string;
  /** Arguments of the command may be in between; behind a group there is nothing else. */
  readonly isCommand: boolean;
  readonly words: readonly (readonly [word: string, summary: string])[];
}

/** The script that completes the words of the table. */
export function completionScript(shell: Shell, { commands, groups }: CommandTable): string {
  const table = wordsOf(commands, groups);
  if (shell === 'fish') return fishScript(table);
  return shell === 'bash' ? bashScript(table) : zshScript(table);
}

function wordsOf(commands: readonly Command[], groups: Readonly<Record<string, string>>): readonly Words[] {
  const firsts = new Map<string, string>();
  const seconds = new Map<string, [string, string][]>();
  for (const { name, summary } of commands) {
    const [first = '', second] = name.split(' ');
    firsts.set(first, second === undefined ? summary : (groups[first] ?? ''));
    if (second !== undefined) seconds.set(first, [...(seconds.get(first) ?? []), [second, summary]]);
  }
  return [
    { behind: '', isCommand: false, words: [...firsts] },
    ...[...seconds].map(([behind, words]) => ({ behind, isCommand: false, words })),
    ...commands.map((command) => ({ behind: command.name, isCommand: true, words: argumentWords(command) })),
  ];
}

function argumentWords({ arguments: args = [], options = [] }: Command): Words['words'] {
  const choices = args.flatMap((argument) =>
    (argument.choices ?? []).map((choice) => [choice, argument.summary] as const),
  );
  const flags = options.map(
    ({ flags, summary }) => [/--[a-z-]+/.exec(flags)?.[0] ?? flags, summary] as const,
  );
  return [...choices, ...flags];
}

/** The words in front of the cursor that are no options, at most two: the group and the command. */
const typed = `  local behind='' word
  for word in "\${given[@]}"; do
    case "$behind $word" in
      *' -'*) break ;;
    esac
    [[ $behind == *' '* ]] && break
    behind="\${behind:+$behind }$word"
  done`;

function cases(table: readonly Words[], line: (words: Words['words']) => string): string {
  return table.map(({ behind, words }) => `    '${behind}') ${line(words)} ;;`).join('\n');
}

function bashScript(table: readonly Words[]): string {
  return `# Completion of jackfield for bash: eval "$(jackfield completion bash)"
_jackfield() {
  local given=("\${COMP_WORDS[@]:1:COMP_CWORD-1}") current="\${COMP_WORDS[COMP_CWORD]}" found
${typed}
  while :; do
    case "$behind" in
${cases(table, (words) => `found='${words.map(([word]) => word).join(' ')}'; break`).replace(/^ {2}/gm, '    ')}
    esac
    [[ $behind == *' '* ]] || return
    behind="\${behind% *}"
  done
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _jackfield jackfield
`;
}

function zshScript(table: readonly Words[]): string {
  const quoted = (words: Words['words']) =>
    words
      .map(([word, summary]) => `'${word}:${summary.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`)
      .join(' ');
  return `#compdef jackfield
# Completion of jackfield for zsh: eval "$(jackfield completion zsh)"
_jackfield() {
  local -a found
  local -a given=(\${words[2,CURRENT-1]})
${typed}
  while :; do
    case "$behind" in
${cases(table, (words) => `found=(${quoted(words)}); break`).replace(/^ {2}/gm, '    ')}
    esac
    [[ $behind == *' '* ]] || return
    behind="\${behind% *}"
  done
  _describe jackfield found
}
compdef _jackfield jackfield
`;
}

function fishScript(table: readonly Words[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = table.flatMap(({ behind, isCommand, words }) =>
    words.map(([word, summary]) => {
      const condition = quote(`__jackfield_${isCommand ? 'within' : 'behind'} ${behind}`.trimEnd());
      const said = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${quote(word)}`;
      return `complete -c jackfield -n ${condition} ${said} -d ${quote(summary)}`;
    }),
  );
  return `# Completion of jackfield for fish: jackfield completion fish | source
function __jackfield_words
  string match -v -- '-*' (commandline -opc)[2..-1]
end
function __jackfield_behind
  test "$(__jackfield_words | string join ' ')" = "$argv"
end
function __jackfield_within
  test "$(__jackfield_words | head -n (count $argv) | string join ' ')" = "$argv"
end
complete -c jackfield -f
${lines.join('\n')}
`;
}
