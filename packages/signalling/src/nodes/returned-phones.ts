import { everyone, jsonBody, type PeerNodes, readJsonBody } from '@jackfield/ports';
import type { UserAgent } from '@jackfield/sip';

type PhoneReturned = UserAgent['phoneReturned'];

interface Returned {
  readonly phone: Parameters<PhoneReturned>[0];
  readonly flow: Parameters<PhoneReturned>[1];
  readonly replaced: Parameters<PhoneReturned>[2];
}

const subject = 'sip-returned';

/** A phone that registers over a new connection returns to its calls at all nodes (RFC 5626 §5.3). */
export function returnedAtAllNodes(nodes: PeerNodes | undefined, returned: PhoneReturned): PhoneReturned {
  if (nodes === undefined) return returned;
  nodes.listen(subject, (body) => {
    const { phone, flow, replaced } = readJsonBody<Returned>(body);
    returned(phone, flow, replaced);
  });
  return (phone, flow, replaced = []) => {
    returned(phone, flow, replaced);
    nodes.notify(everyone, subject, jsonBody<Returned>({ phone, flow, replaced }));
  };
}
