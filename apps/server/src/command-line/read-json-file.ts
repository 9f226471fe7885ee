import { readFileSync } from 'node:fs';
import { withLines } from '@jackfield/platform/json-lines';
import { whyUnread } from '../read-faults.ts';
import { CommandFailure } from './command.ts';

/** The JSON of a file; a sentence names the line of its mistake, and what to do. */
export function readJsonFile(path: string, remedy: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${path} ${whyUnread(error)}: ${remedy}.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure(`${path}: ${withLines(text, ['it is no JSON']).join('')}; ${remedy}.`);
  }
}

/** A mistake in a file of JSON: `problem` begins with the path of the value, whose line is named. */
export function mistakeIn(path: string, problem: string): CommandFailure {
  return new CommandFailure(`${path}: ${withLines(readFileSync(path, 'utf8'), [problem]).join('')}.`);
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
