import { numberOf } from './numbers.ts';
import type { Finding } from './report.ts';
import type { AppSettings } from './settings.ts';
import type { Target } from './target.ts';

interface Guessed {
  /** Guesses that were compared with the code. */
  readonly compared: number;
  readonly found: boolean;
}

const atOnce = 100;

/** Guesses against one session: one after another until it is locked, all at once, and across the requested number of sessions. */
export async function bruteForce(
  target: Target,
  settings: AppSettings,
  sessions: number,
): Promise<readonly Finding[]> {
  const { codeLength, maxValidations, codeExpiryMinutes, sendsPerHour } = settings;
  const codes = 10 ** codeLength;
  const one = await guess(target, await begun(target, numberOf('oneSession', 0)), codeLength, maxValidations);

  const parallel = await begun(target, numberOf('parallel', 0));
  const answers = await Promise.all(
    Array.from({ length: atOnce }, (_, index) => target.check(parallel, codeAt(index, codeLength))),
  );
  const compared = answers.filter(({ status }) => status !== 429).length;

  let found = 0;
  let tried = 0;
  for (let index = 0; index < sessions; index++) {
    const session = await begun(target, numberOf('acrossSessions', index));
    const guessed = await guess(target, session, codeLength, maxValidations);
    tried += guessed.compared;
    if (guessed.found) found++;
  }
  const perHour = Math.min(sendsPerHour, Math.ceil(60 / codeExpiryMinutes)) * maxValidations;
  const luck = (guesses: number) => 1 - (1 - 1 / codes) ** guesses;
  const expected = tried / codes;
  return [
    {
      attack: 'guesses against one session',
      seen: `${one.compared} compared, then locked until it expires; success ${percent(luck(one.compared))}`,
      holds: one.compared <= maxValidations,
    },
    {
      attack: `${atOnce} guesses at once`,
      seen: `${compared} compared`,
      holds: compared <= maxValidations,
    },
    {
      attack: 'guesses against one number for an hour, and for a day',
      seen: `at most ${perHour} and ${perHour * 24} compared; success ${percent(luck(perHour))} and ${percent(luck(perHour * 24))}`,
      holds: luck(perHour) < 1e-3,
    },
    {
      attack: `guesses across ${sessions} sessions`,
      seen: `${tried} compared, ${found} found; ${expected.toPrecision(2)} expected by chance`,
      // Chance exceeds this at most once in a million runs.
      holds: found <= expected + 6 * Math.sqrt(expected) + 1,
    },
  ];
}

async function begun(target: Target, recipient: string): Promise<string> {
  const { status, body } = await target.begin(recipient);
  if (status !== 202) throw new Error(`no session for ${recipient}: ${status} ${String(body.error)}`);
  return String(body.session_uuid);
}

async function guess(
  target: Target,
  session: string,
  codeLength: number,
  maxValidations: number,
): Promise<Guessed> {
  // Far more than any setting allows: an attack that stops by itself has not met the lock.
  for (let compared = 0; compared < maxValidations + 20; compared++) {
    const { status } = await target.check(
      session,
      codeAt(Math.floor(Math.random() * 10 ** codeLength), codeLength),
    );
    if (status === 200) return { compared: compared + 1, found: true };
    if (status === 429) return { compared, found: false };
  }
  return { compared: maxValidations + 20, found: false };
}

function codeAt(index: number, length: number): string {
  return String(index).padStart(length, '0');
}

function percent(probability: number): string {
  return `${(probability * 100).toPrecision(2)} %`;
}
