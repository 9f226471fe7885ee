import type { Within } from './api.ts';
import { type Duration, msOf } from './duration.ts';
import { TestingError } from './testing-error.ts';

/** Throws where an option is misspelt: it would be ignored. `of` is what has the options. */
export function checkOptions(options: unknown, names: readonly string[], of: string): void {
  if (typeof options !== 'object' || options === null) {
    throw new TestingError(
      'bad-option',
      `The options of ${of} are ${JSON.stringify(options)}: use an object with ${names.join(', ')}.`,
    );
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TestingError(
    'bad-option',
    `There is no option ${JSON.stringify(unknown)} of ${of}: use ${names.join(', ')}.`,
  );
}

/** The limit of a wait, which `usual` is when the test names none. */
export function limitOf(options: Within, usual: Duration): Duration {
  checkOptions(options, ['within'], 'a wait');
  const { within = usual } = options;
  msOf(within, 'within');
  return within;
}

/** Throws for an expectation that always holds: an empty text is a variable that was not set. */
export function checkExpected(what: unknown): void {
  if (what instanceof RegExp ? what.source !== '(?:)' : isText(what)) return;
  const shown = what instanceof RegExp ? String(what) : JSON.stringify(what);
  throw new TestingError('bad-option', `The expected text is ${shown}: use words or a pattern.`);
}

export function checkText(text: unknown): void {
  if (!isText(text)) throw new TestingError('bad-option', `text is ${JSON.stringify(text)}: use words.`);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
