import type { Clock } from '@jackfield/ports';
import { createUserAgent, type UserAgent, type UserAgentDeps } from '@jackfield/sip';
import type { Transports } from '@jackfield/sip/transport';
import { openSimulatedTransports, type SimulatedNetwork } from '@jackfield/testkit';

/** A bare user agent at an address of the network, with what it does about requests and calls. */
export function openPhone(
  clock: Clock,
  network: SimulatedNetwork,
  at: { readonly address: string; readonly port: number },
  on: UserAgentDeps['on'],
): UserAgent {
  let serial = 0;
  const transports: Transports = openSimulatedTransports(network, at, {
    onMessage: (text, flow) => phone.receive(text, flow),
  });
  const phone: UserAgent = createUserAgent({
    clock,
    send: (target, text) => transports.send(target, text),
    flow: (id) => transports.flowById(id),
    address: () => ({ host: at.address, port: at.port }),
    token: () => `phone${++serial}`,
    on,
  });
  return phone;
}
