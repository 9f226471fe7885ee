import type { Flow } from '@jackfield/sip';
import {
  createTransportCounters,
  type SendTarget,
  type TransportListener,
  type Transports,
} from '@jackfield/sip/transport';
import type { DatagramNetwork, NetworkAddress } from './simulated-network.ts';

/** Traffic to or from this port counts as TLS, although it uses datagrams too: a simulated network has no eavesdroppers. */
export const simulatedTlsPort = 5061;

/** SIP over one UDP port of a simulated network, like `createTransports` over real sockets. */
export function openSimulatedTransports(
  network: DatagramNetwork,
  at: NetworkAddress,
  listener: TransportListener,
): Transports {
  const counters = createTransportCounters();
  const detach = network.attach(at, (payload, from) => {
    counters.messagesReceived++;
    try {
      listener.onMessage(Buffer.from(payload).toString('latin1'), flowTo(at, from));
    } catch (error) {
      counters.listenerFailures++;
      listener.onFault?.(error);
    }
  });

  return {
    send(target: SendTarget, text) {
      const to = 'flow' in target ? peerOf(target.flow) : { address: target.host, port: target.port };
      if (to === undefined) {
        counters.sendFailures++;
        // Deferred, as the port requires, but without a timer: no time has to pass.
        queueMicrotask(() =>
          listener.onSendFailed?.({
            target,
            text,
            sentence: 'There is no such flow of a simulated network.',
          }),
        );
        return;
      }
      counters.messagesSent++;
      network.send(at, to, Buffer.from(text, 'latin1'));
    },
    flowById(id) {
      const peer = peerOf(id);
      return peer && flowTo(at, peer);
    },
    addresses: [{ protocol: 'udp', ...at }],
    counters,
    connections: 0,
    // Datagrams have no connection to keep or cut.
    keep() {},
    cut() {},
    close() {
      detach();
      return Promise.resolve();
    },
  };
}

/** The name of the flow to a peer: the same as in the real UDP transport, because bindings store it. */
export function flowIdOf(peer: NetworkAddress): string {
  return `udp-${peer.address}-${peer.port}`;
}

const flowId = /^udp-([0-9.]+)-([0-9]+)$/;

function peerOf(id: string): NetworkAddress | undefined {
  const [, address, port] = flowId.exec(id) ?? [];
  return address === undefined ? undefined : { address, port: Number(port) };
}

function flowTo(at: NetworkAddress, peer: NetworkAddress): Flow {
  return {
    id: flowIdOf(peer),
    protocol: at.port === simulatedTlsPort || peer.port === simulatedTlsPort ? 'tls' : 'udp',
    reliable: false,
    remoteAddress: peer.address,
    remotePort: peer.port,
    localAddress: at.address,
    localPort: at.port,
  };
}
