import type { Flow, Protocol } from '@jackfield/sip';

/**
 * Names of flows that each node of a cluster understands, because bindings store them:
 * `udp-<incarnation>-<address>-<port>`, and `tcp-<incarnation>-<number>~<protocol>~<address>~<port>` of a connection.
 */
export interface NodeFlows {
  /** A flow of this node under its name in the cluster. */
  named(flow: Flow): Flow;
  /** The same for a connection that is closed; its name is forgotten. */
  closed(flow: Flow): Flow;
  /** The name of a datagram flow of this node among its own transports; undefined for every other flow. */
  local(id: string): string | undefined;
}

const datagrams = /^udp-([0-9a-z]{1,11})-([0-9a-f.:]*[.:][0-9a-f.:]*)-(\d{1,5})(?:~(tls))?$/i;
const connection = /^((?:tcp|tls|ws)-([0-9a-z]{1,11})-[^~]+)~(tcp|tls|wss?|udp)~([^~]+)~(\d{1,5})$/;

export function createNodeFlows(incarnation: string): NodeFlows {
  const connections = new Map<string, Flow>();
  const ownDatagrams = `udp-${incarnation}-`;

  function ofConnection(flow: Flow): Flow {
    const { id, protocol, remoteAddress, remotePort } = flow;
    return { ...flow, id: `${id}~${protocol}~${remoteAddress}~${remotePort}` };
  }

  /** The name of a datagram flow; the simulated TLS of tests is one too, and its name has the protocol. */
  function ofDatagrams({ id, protocol }: Flow): string {
    const name = `${ownDatagrams}${id.slice('udp-'.length)}`;
    return protocol === 'udp' ? name : `${name}~${protocol}`;
  }

  return {
    named(flow) {
      const { id } = flow;
      // Not stored: each datagram has its own flow object.
      if (id.startsWith('udp-')) return { ...flow, id: ofDatagrams(flow) };
      const known = connections.get(id);
      if (known !== undefined) return known;
      const named = ofConnection(flow);
      connections.set(id, named);
      return named;
    },
    closed(flow) {
      const named = connections.get(flow.id) ?? ofConnection(flow);
      connections.delete(flow.id);
      return named;
    },
    // Each message asks: a pattern would cost more than the rest of its way.
    local: (id) =>
      id.startsWith(ownDatagrams) && !id.includes('~') ? `udp-${id.slice(ownDatagrams.length)}` : undefined,
  };
}

/** The parts of the name of a flow. */
export interface NamedFlow {
  readonly incarnation: string;
  /** Its name among the transports of its node. */
  readonly local: string;
  /** The flow as another node sees it. */
  readonly flow: Flow;
}

/** Reads the name of a flow; undefined for a name without an incarnation. */
export function readFlowName(id: string): NamedFlow | undefined {
  const [, datagramsOf, host = '', port, over = 'udp'] = datagrams.exec(id) ?? [];
  if (datagramsOf !== undefined) {
    const flow = remoteFlow(id, over as Protocol, host, Number(port));
    return { incarnation: datagramsOf, local: `udp-${host}-${port}`, flow };
  }
  const [, local, incarnation, protocol, address = '', remotePort] = connection.exec(id) ?? [];
  if (local === undefined || incarnation === undefined) return undefined;
  return { incarnation, local, flow: remoteFlow(id, protocol as Protocol, address, Number(remotePort)) };
}

/** Not reliable: a message between two nodes may be lost, so transactions retransmit. */
function remoteFlow(id: string, protocol: Protocol, remoteAddress: string, remotePort: number): Flow {
  return { id, protocol, reliable: false, remoteAddress, remotePort, localAddress: '', localPort: 0 };
}
