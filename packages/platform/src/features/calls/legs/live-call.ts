import { notFound } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { Calls, LiveLeg } from '../public-api.ts';

/** The account of the request's path. */
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

/** The live call of this UUID that the account may act on, whatever the owner of its leg; any other call, a private one included, is unknown. */
export function liveCallOf(calls: Pick<Calls, 'peek'>, viewer: Viewer, callUuid: string): Result<LiveLeg> {
  const leg = calls.peek(callUuid.toLowerCase());
  return leg === undefined || leg.isPrivate || !isOf(viewer, leg)
    ? refused(notFound('live call', callUuid))
    : accepted(leg);
}
