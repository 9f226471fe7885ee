import { closeSync, existsSync, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AccountApi, ApiRefusal, type Json } from '../command-line/account-api.ts';
import { CommandFailure } from '../command-line/command.ts';
import { explainWriting } from '../write-faults.ts';
import { type RunningProcess, runningProcess } from './running-process.ts';

/** A change of the account that can be undone. */
export type ImportStep =
  /** POST `path` with `body` under `key`; the answer names the object by `id`. `at` is its path in the export. */
  | {
      readonly does: 'create';
      readonly path: string;
      readonly body: Json;
      readonly key: string;
      readonly id: string;
      readonly at: string;
    }
  /** A default of the account was replaced; POST `path` with `body` brings it back. */
  | { readonly does: 'replace'; readonly path: string; readonly body: Json };

/** A step that was begun. `one` is the path of what it created, once an answer came. */
export interface BegunStep {
  readonly step: ImportStep;
  readonly one: string | undefined;
}

/** What an import has done so far: an import that is killed leaves it on the disk, and the next one undoes it. */
export interface ImportJournal {
  /** Noted before the request. */
  begin(step: ImportStep): void;
  /** What the last step created. */
  created(one: string): void;
  /** The last step changed nothing. */
  refused(): void;
  /** The latest first. */
  begun(): readonly BegunStep[];
  /** The import is whole, or undone. */
  remove(): void;
}

interface Head {
  readonly url: string;
  readonly authId: string;
  /** The file that this import made for the passwords. */
  readonly passwords: string | null;
  /** The process of the import; absent in journals of earlier releases. */
  readonly process?: RunningProcess | undefined;
}

type Line = { readonly begin: ImportStep } | { readonly created: string } | { readonly refused: true };

function journalPath(file: string): string {
  return `${file}.unfinished`;
}

/** The next lines stand behind what a server may have carried out, so a kill leaves at most one step without its end. */
export function openJournal(file: string, head: Omit<Head, 'process'>): ImportJournal {
  const path = journalPath(file);
  const withProcess: Head = { ...head, process: runningProcess(process.pid) };
  let journal: number;
  try {
    // It holds new passwords.
    journal = openSync(path, 'wx', 0o600);
    writeFileSync(journal, `${JSON.stringify(withProcess)}\n`);
  } catch (error) {
    // A head that is cut off notes nothing.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(path, { force: true });
    throw new CommandFailure(
      `${path} cannot be written (${explainWriting(error, path) ?? (error as Error).message}): it notes what an import has done, so put the export into a directory that you may write to.`,
    );
  }
  const isRemoved = () => fstatSync(journal).nlink === 0;
  const lines: Line[] = [];
  const note = (line: Line) => {
    // A step that could not be noted is not sent; the end of a sent one counts for the undo all the same.
    if (!('begin' in line)) lines.push(line);
    try {
      writeFileSync(journal, `${JSON.stringify(line)}\n`);
    } catch (error) {
      throw new CommandFailure(
        `${path}, which notes what the import does: ${explainWriting(error, path) ?? (error as Error).message}.`,
      );
    }
    if (isRemoved()) throw new CommandFailure(`${path}, which notes what the import does, was removed.`);
    if ('begin' in line) lines.push(line);
  };
  return {
    begin: (step) => note({ begin: step }),
    created: (one) => note({ created: one }),
    refused: () => note({ refused: true }),
    begun: () => begunOf(lines),
    remove() {
      // Another import may have made one of its own meanwhile.
      if (!isRemoved()) rmSync(path, { force: true });
      closeSync(journal);
    },
  };
}

function begunOf(lines: readonly Line[]): readonly BegunStep[] {
  const begun: BegunStep[] = [];
  for (const line of lines) {
    if ('begin' in line) begun.push({ step: line.begin, one: undefined });
    else if ('refused' in line) begun.pop();
    else begun.push({ ...begun.pop()!, one: line.created });
  }
  return begun.reverse();
}

/** Undoes as much as can be undone; returns a sentence for each that remains. */
export async function undone(api: AccountApi, begun: readonly BegunStep[]): Promise<readonly string[]> {
  const remaining: string[] = [];
  for (const { step, one } of begun) {
    const { path, body } = step;
    try {
      if (step.does === 'replace') await api.request('POST', path, body);
      // It may exist. The server answers its key with the object that it has, or creates one; either is deleted.
      else await removed(api, one ?? pathOf(step, await api.create(path, body, step.key)));
    } catch (error) {
      const what =
        step.does === 'replace'
          ? `POST ${path} with ${Object.keys(body).join(', ')}`
          : one === undefined
            ? `${step.at}, which may have been created by POST ${path}`
            : `DELETE ${one}`;
      remaining.push(`${what}: ${(error as Error).message}`);
    }
  }
  return remaining;
}

/** The path of an object that a step created. */
export function pathOf({ path, id }: Extract<ImportStep, { does: 'create' }>, answer: Json): string {
  return `${path}${encodeURIComponent(String(answer[id]))}/`;
}

/** An earlier attempt to undo may have come as far as here. */
async function removed(api: AccountApi, one: string): Promise<void> {
  await api.request('DELETE', one).catch((error: unknown) => {
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error;
  });
}

/** Undoes an import of the same file that was killed; returns how many steps, or undefined when there was none. */
export async function undoUnfinished(api: AccountApi, file: string): Promise<number | undefined> {
  const path = journalPath(file);
  if (!existsSync(path)) return undefined;
  const { head, lines } = readJournal(path);
  if (head === undefined) {
    rmSync(path);
    return 0;
  }
  if (head.process !== undefined && runningProcess(head.process.pid)?.start === head.process.start)
    throw new CommandFailure(
      `${path}: the import of process ${head.process.pid} has not ended: wait until it has.`,
    );
  const { url, authId } = api.profile;
  if (head.url !== url || head.authId !== authId) {
    throw new CommandFailure(
      `${path}: an import into ${head.authId} at ${head.url} was cut off: repeat it with that account, which undoes it, or remove this file to keep what it created.`,
    );
  }
  const begun = begunOf(lines);
  const remaining = await undone(api, begun);
  if (remaining.length > 0) {
    throw new CommandFailure(
      [`${path}: an import was cut off, and these could not be undone:`, ...remaining].join('\n'),
    );
  }
  if (head.passwords !== null) rmSync(head.passwords, { force: true });
  rmSync(path);
  return begun.length;
}

function readJournal(path: string): { readonly head: Head | undefined; readonly lines: readonly Line[] } {
  // A kill in the middle of a line leaves a step that was not sent yet, or whose end is not known.
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  try {
    const [head, ...lines] = whole.map((line) => JSON.parse(line) as unknown);
    return { head: head as Head | undefined, lines: lines as readonly Line[] };
  } catch {
    throw new CommandFailure(
      `${path} was changed by another program, so the import that it notes cannot be undone: compare the account with the export, and remove this file.`,
    );
  }
}
