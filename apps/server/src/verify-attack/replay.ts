import { numberOf } from './numbers.ts';
import type { Finding } from './report.ts';
import type { Target } from './target.ts';

const atOnce = 50;

/** The right code twice, and many times at once. */
export async function replay(target: Target): Promise<readonly Finding[]> {
  const first = await verifiedTwice(target, numberOf('replay', 0));
  const recipient = numberOf('replay', 1);
  const session = String((await target.begin(recipient)).body.session_uuid);
  const code = await target.codeOf(recipient);
  const answers = await Promise.all(Array.from({ length: atOnce }, () => target.check(session, code)));
  const passed = answers.filter(({ status }) => status === 200).length;
  return [
    {
      attack: 'the right code a second time',
      seen: `${first[0]}, then ${first[1]}`,
      holds: first[0] === 200 && first[1] !== 200,
    },
    {
      attack: `the right code ${atOnce} times at once`,
      seen: `accepted ${passed} times`,
      holds: passed === 1,
    },
  ];
}

async function verifiedTwice(target: Target, recipient: string): Promise<readonly [number, number]> {
  const session = String((await target.begin(recipient)).body.session_uuid);
  const code = await target.codeOf(recipient);
  const [one, two] = [await target.check(session, code), await target.check(session, code)];
  return [one.status, two.status];
}
