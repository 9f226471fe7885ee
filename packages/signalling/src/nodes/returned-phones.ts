import { everyone, type PeerNodes } from '@jackfield/ports';
import type { UserAgent } from '@jackfield/sip';

type PhoneReturned = UserAgent['phoneReturned'];

const subject = 'sip-returned';

/** A phone that registers over a new connection returns to its calls at all nodes (RFC 5626 §5.3). */
export function returnedAtAllNodes(nodes: PeerNodes | undefined, returned: PhoneReturned): PhoneReturned {
  if (nodes === undefined) return returned;
  nodes.listen(subject, (body) => {
    const { phone, flow, replaced } = JSON.parse(new TextDecoder().decode(body));
    returned(phone, flow, replaced);
  });
  return (phone, flow, replaced = []) => {
    returned(phone, flow, replaced);
    nodes.notify(everyone, subject, new TextEncoder().encode(JSON.stringify({ phone, flow, replaced })));
  };
}
