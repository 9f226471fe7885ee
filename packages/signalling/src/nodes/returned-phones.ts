import { everyone, jsonBody, type PeerNodes, readJsonBody } from '@jackfield/ports';
import type { UserAgent } from '@jackfield/sip';
import { readFlowName } from './node-flows.ts';

type PhoneReturned = UserAgent['phoneReturned'];

interface Returned {
  readonly phone: Parameters<PhoneReturned>[0];
  readonly flow: Parameters<PhoneReturned>[1];
  readonly replaced: Parameters<PhoneReturned>[2];
}

/** Dialogs of a phone that has returned stay on a flow of the receiving node, as far as the sender knows. */
interface Kept extends Pick<Returned, 'phone' | 'flow'> {
  readonly kept: string;
}

const subject = 'sip-returned';
const keptSubject = 'sip-kept';

export interface ReturnedPhonesDeps {
  readonly nodes: PeerNodes | undefined;
  /** Of a flow of this node. */
  readonly isOpen: (flow: string) => boolean;
  readonly returned: PhoneReturned;
}

/**
 * A phone that registers over a new connection returns to its calls at all nodes (RFC 5626 §5.3). Only the node of its last connection knows
 * whether that one is closed, so it is asked.
 */
export function returnedAtAllNodes({ nodes, isOpen, returned }: ReturnedPhonesDeps): PhoneReturned {
  if (nodes === undefined) return returned;

  const here: PhoneReturned = (phone, flow, replaced) => {
    const flows = returned(phone, flow, replaced);
    for (const kept of flows) {
      const owner = readFlowName(kept)?.incarnation ?? nodes.own;
      if (kept !== flow && owner !== nodes.own)
        nodes.notify(owner, keptSubject, jsonBody<Kept>({ phone, flow, kept }));
    }
    return flows;
  };
  nodes.listen(subject, (body) => {
    const { phone, flow, replaced } = readJsonBody<Returned>(body);
    here(phone, flow, replaced);
  });
  nodes.listen(keptSubject, (body, sender) => {
    const { phone, flow, kept } = readJsonBody<Kept>(body);
    if (!isOpen(kept)) nodes.notify(sender, subject, jsonBody<Returned>({ phone, flow, replaced: [kept] }));
  });
  return (phone, flow, replaced = []) => {
    const kept = here(phone, flow, replaced);
    nodes.notify(everyone, subject, jsonBody<Returned>({ phone, flow, replaced }));
    return kept;
  };
}
