import { numberOf } from './numbers.ts';
import type { Finding } from './report.ts';
import type { Answered, Target } from './target.ts';

const rounds = 40;
const unknownSession = '00000000-0000-4000-8000-000000000000';

/** Whether answers distinguish a live session from an ended one, and how an unknown session is answered. */
export async function enumeration(target: Target): Promise<readonly Finding[]> {
  const over = numberOf('enumeration', 0);
  const verified = String((await target.begin(over)).body.session_uuid);
  await target.check(verified, await target.codeOf(over));
  const live: Answered[] = [];
  const ended: Answered[] = [];
  // Alternates, so that a slow machine slows both; each live session gets one request, long before its lock.
  for (let round = 0; round < rounds; round++) {
    const recipient = numberOf('enumeration', round + 1);
    const session = String((await target.begin(recipient)).body.session_uuid);
    const code = await target.codeOf(recipient);
    const wrong = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));
    live.push(await target.check(session, wrong));
    ended.push(await target.check(verified, wrong));
  }
  const unknown = await target.check(unknownSession, '0000');
  const words = (answer: Answered | undefined) => `${answer?.status} ${String(answer?.body.error)}`;
  const isAlike = live.every((each, index) => words(each) === words(ended[index]));
  const [liveMs, endedMs] = [median(live), median(ended)];
  return [
    {
      attack: 'a wrong code, for a live session and for an ended one',
      seen: isAlike ? `both "${words(live[0])}"` : `"${words(live[0])}" and "${words(ended[0])}"`,
      holds: isAlike,
    },
    {
      attack: 'the time of both answers (medians)',
      seen: `${liveMs.toFixed(2)} ms and ${endedMs.toFixed(2)} ms`,
      // A network hides smaller differences.
      holds: Math.abs(liveMs - endedMs) < 2,
    },
    {
      attack: 'a session that does not exist',
      seen: `"${unknown.status}"; names of sessions have 74 random bits, so none is met by chance`,
      holds: unknown.status === 404,
    },
  ];
}

function median(answers: readonly Answered[]): number {
  const sorted = answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
