import { everyone, jsonBody, type PeerNodes, readJsonBody } from '@jackfield/ports';
import type { UserAgent } from '@jackfield/sip';
import { readFlowName } from './node-flows.ts';

type PhoneReturned = UserAgent['phoneReturned'];

interface Returned {
  readonly phone: Parameters<PhoneReturned>[0];
  readonly flow: Parameters<PhoneReturned>[1];
  readonly replaced: Parameters<PhoneReturned>[2];
}

/** Dialogs of a phone that has returned stay on these flows of the receiving node, as far as the sender knows. */
interface Kept {
  readonly phone: Returned['phone'];
  readonly flow: Returned['flow'];
  readonly kept: readonly string[];
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
    const kept = returned(phone, flow, replaced);
    for (const [owner, flows] of ofOthers(kept, nodes)) {
      const asked = flows.filter((each) => each !== flow);
      if (asked.length > 0) nodes.notify(owner, keptSubject, jsonBody<Kept>({ phone, flow, kept: asked }));
    }
    return kept;
  };
  nodes.listen(subject, (body) => {
    const { phone, flow, replaced } = readJsonBody<Returned>(body);
    here(phone, flow, replaced);
  });
  nodes.listen(keptSubject, (body, sender) => {
    const { phone, flow, kept } = readJsonBody<Kept>(body);
    const replaced = kept.filter((each) => !isOpen(each));
    if (replaced.length > 0) nodes.notify(sender, subject, jsonBody<Returned>({ phone, flow, replaced }));
  });
  return (phone, flow, replaced = []) => {
    const kept = here(phone, flow, replaced);
    nodes.notify(everyone, subject, jsonBody<Returned>({ phone, flow, replaced }));
    return kept;
  };
}

/** Flows of other nodes, by node. */
function ofOthers(flows: Iterable<string>, { own }: PeerNodes): ReadonlyMap<string, readonly string[]> {
  const byNode = new Map<string, string[]>();
  for (const flow of flows) {
    const { incarnation = own } = readFlowName(flow) ?? {};
    if (incarnation === own) continue;
    const known = byNode.get(incarnation);
    if (known === undefined) byNode.set(incarnation, [flow]);
    else known.push(flow);
  }
  return byNode;
}
