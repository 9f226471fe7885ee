import { numberOf } from './numbers.ts';
import type { Finding } from './report.ts';
import type { AppSettings } from './settings.ts';
import type { Target } from './target.ts';

/** Messages to a block of numbers whose codes are never entered: their cost until the limit holds. */
export async function pumping(
  target: Target,
  settings: AppSettings,
  messages: number,
  price: number,
): Promise<readonly Finding[]> {
  let sent = 0;
  let blocked = 0;
  let refused = 0;
  for (let index = 0; index < messages; index++) {
    const { status, body } = await target.begin(numberOf('pumping', index));
    if (status !== 202) {
      refused++;
      continue;
    }
    const { body: shown } = await target.request('GET', `Verify/Session/${String(body.session_uuid)}/`);
    const [attempt] = (shown.attempt_details ?? []) as readonly { readonly channel_error_code?: unknown }[];
    if (attempt?.channel_error_code === '452') blocked++;
    else sent++;
  }
  const worst = settings.accountSendsPerHour * price;
  return [
    {
      attack: `${messages} messages to one block of 10,000 numbers`,
      seen: `${sent} sent, ${blocked} blocked, ${refused} refused; cost ${(sent * price).toFixed(2)}`,
      holds: sent < messages,
    },
    {
      attack: 'as many blocks as there are, for an hour',
      seen: `at most ${settings.accountSendsPerHour} sent; cost at most ${worst.toFixed(2)}, less where a gateway has a spend cap`,
      holds: true,
    },
  ];
}
