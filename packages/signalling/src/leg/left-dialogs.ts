import type { DialogSnapshot, UserAgent } from '@jackfield/sip';
import { credentialsFor, type DialTermsDeps, reachOfCustomers } from './dial-terms.ts';
import { callOf, type LiveLeg } from './live-leg.ts';

/** The data with which another node hangs up a leg when this node has died. */
interface LeftDialog {
  readonly snapshot: DialogSnapshot;
  /** The account whose password answers a challenge to the BYE. */
  readonly account?: string;
  readonly isTrunk?: boolean;
}

/** The dialog of an answered leg as text. */
export function leftDialogOf(live: LiveLeg): string | undefined {
  const call = callOf(live);
  const snapshot = call?.snapshot();
  if (snapshot === undefined) return undefined;
  const { account, trunk } = live.request?.targets[call?.answeredBy ?? 0] ?? {};
  const left: LeftDialog = { snapshot, ...(account && { account }), ...(trunk && { isTrunk: true }) };
  return JSON.stringify(left);
}

export interface LeftDialogsDeps extends DialTermsDeps {
  readonly endDialog: UserAgent['endDialog'];
}

/** Hangs up legs of a node that has died. */
export function createLeftDialogs(deps: LeftDialogsDeps): (dialog: string) => void {
  const { log, endDialog } = deps;

  async function end({ snapshot, account, isTrunk = false }: LeftDialog): Promise<void> {
    const credentials = await credentialsFor(deps, account, isTrunk);
    const reaches = snapshot.isConfined ? reachOfCustomers(deps, isTrunk) : undefined;
    endDialog(snapshot, { ...(credentials && { credentials }), ...(reaches && { reaches }) });
  }

  return (dialog) => {
    const left = JSON.parse(dialog) as LeftDialog;
    end(left).catch((err: unknown) => {
      log.error({ err, callId: left.snapshot.dialog.callId }, 'hang-up of a leg of an ended node failed');
    });
  };
}
