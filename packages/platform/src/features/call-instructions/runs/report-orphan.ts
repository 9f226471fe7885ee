import type { Write } from '@jackfield/ports';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { payloadsOf } from '../../../kernel/outbox-payloads.ts';
import type { OrphanedLeg } from '../../calls/index.ts';
import { endReport } from '../domain/dial/end-report.ts';
import { eventOfDial } from '../events.ts';

/** The last event of a Dial about a leg whose process has died; undefined where the Dial had reported the end already. */
export async function reportOrphan(write: Write, orphan: OrphanedLeg): Promise<OutboxEvent | undefined> {
  const { leg, caller, from, to, end, answeredAt, endedAt, account, mainAccount } = orphan;
  const about = { account, mainAccount, leg: caller };
  const fields = endReport(
    caller,
    { leg, from, to, end },
    answeredAt === null ? 0 : (endedAt - answeredAt) / 1000,
  );
  const event = eventOfDial(about, orphan.parameters, { request: orphan.callback, fields });
  const reported = await payloadsOf(write, event);
  const isSame = ({ DialBLegUUID, DialAction }: OutboxEvent['payload']) =>
    DialBLegUUID === leg && DialAction === fields.DialAction;
  return reported.some(isSame) ? undefined : event;
}
