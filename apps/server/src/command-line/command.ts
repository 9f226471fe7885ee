/** One option of a command, as help and completion show it. */
export interface CommandOption {
  /** As commander reads it, such as `--limit <number>`. */
  readonly flags: string;
  readonly summary: string;
  /** Throws InvalidArgumentError, with a sentence that begins with "It must be". */
  readonly read?: (text: string) => unknown;
  readonly default?: string | number;
  readonly choices?: readonly string[];
  readonly isRequired?: true;
}

export interface CommandArgument {
  readonly name: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly isOptional?: true;
}

/** A row of the table in `commands.ts`, from which the program, its help and its completion are made. */
export interface Command {
  /** One word, or the word of a group and one more: `calls list`. */
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  /** Loads what it needs itself: `jackfield calls list` must not load the platform. */
  run(args: readonly string[], options: never): Promise<void> | void;
}

/** A command that failed for a reason that its user can change: one sentence, without a stack. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
