import { notFound } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Calls, LiveLeg } from '../public-api.ts';

/** On whose path a request came. */
interface Viewer {
  readonly authId: string;
}

/** A main account sees the calls of its subaccounts as its own. */
export function isOf(
  viewer: Viewer,
  { account, mainAccount }: Pick<LiveLeg, 'account' | 'mainAccount'>,
): boolean {
  return account === viewer.authId || mainAccount === viewer.authId;
}

/** The live call of this UUID that the account may act on, whoever owns its leg; any other, a private one too, is unknown. */
export function liveCallOf(calls: Pick<Calls, 'peek'>, viewer: Viewer, callUuid: string): Result<LiveLeg> {
  const leg = calls.peek(callUuid.toLowerCase());
  return leg === undefined || leg.isPrivate || !isOf(viewer, leg)
    ? refused(notFound('live call', callUuid))
    : accepted(leg);
}
