import type { PeerNodes, Secrets } from '@jackfield/ports';
import { createNonces, type Nonces } from '@jackfield/sip';

/** The nonces of all challenges of this process: all admissions share one record of their use. */
export function createSipNonces(
  secrets: Pick<Secrets, 'keyedHash' | 'equals'>,
  nodes?: Pick<PeerNodes, 'own'>,
): Nonces {
  return createNonces({
    ...(nodes && { node: nodes.own }),
    sign: (text) => secrets.keyedHash(`sip-nonce ${text}`),
    equals: (left, right) => secrets.equals(left, right),
  });
}
