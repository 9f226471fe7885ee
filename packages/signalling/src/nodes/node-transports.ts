import type { PeerNodes } from '@jackfield/ports';
import type { ByteString, Flow } from '@jackfield/sip';
import type { SendFailure, SendTarget, TransportListener, Transports } from '@jackfield/sip/transport';
import { datagramBytes, readDatagram } from './node-datagrams.ts';
import { createNodeFlows, type NamedFlow, type NodeFlows, readFlowName } from './node-flows.ts';
import { incarnationOf } from './node-tokens.ts';

type OpenTransports = (listener: TransportListener) => Promise<Transports>;

export interface NodeTransportsDeps {
  readonly nodes: PeerNodes;
  readonly openTransports: OpenTransports;
  /** False for a sender whose messages are not passed on either. */
  readonly receives: (flow: Flow) => boolean;
}

/** What came in on a connection of the sender, for a transaction or dialog of the receiver. */
const received = 'sip';
/** A message of the sender, to go out on a flow of the receiver. */
const sent = 'sip-send';
/** Such a message did not reach the network. */
const failed = 'sip-failed';

/** A flow among the own transports. */
interface LocalTarget {
  readonly flow: string;
  /** As its sender has named it. */
  readonly named: SendTarget;
  /** The node whose message this is; the own one when absent. */
  readonly sender?: string;
}

/**
 * The connections of all nodes as transports of each: a message for a dialog or transaction of another node is passed on to it, and a
 * message to a flow of another node goes out there.
 */
export function overNodes({ nodes, openTransports, receives }: NodeTransportsDeps): OpenTransports {
  return async (listener) => {
    const flows = createNodeFlows(nodes.own);
    const own = await openTransports(localListener(listener, { nodes, receives, flows }));

    nodes.listen(received, (body) => {
      const { flow, text } = readDatagram(body);
      listener.onMessage(text, flow);
    });
    nodes.listen(sent, (body, sender) => {
      const { flow, text } = readDatagram(body);
      const named: SendTarget = { flow: flow.id };
      const target: LocalTarget = { flow: readFlowName(flow.id)?.local ?? flow.id, named, sender };
      own.send(target, text);
    });
    nodes.listen(failed, (body) => {
      const { flow, text } = readDatagram(body);
      listener.onSendFailed?.({
        target: { flow: flow.id },
        text,
        sentence: `Node ${readFlowName(flow.id)?.incarnation} could not send.`,
      });
    });

    /** The flow of another node that runs. */
    function remote(id: string): NamedFlow | undefined {
      const named = readFlowName(id);
      return named !== undefined && named.incarnation !== nodes.own && nodes.isAlive(named.incarnation)
        ? named
        : undefined;
    }

    /** A flow of a node that has ended may lead to a phone whose network lets in datagrams of every sender. */
    const localName = (id: string) => readFlowName(id)?.local ?? id;

    return {
      ...wrapped(own),
      send(target, text) {
        if (!('flow' in target)) return own.send(target, text);
        const other = remote(target.flow);
        if (other !== undefined) {
          nodes.notify(other.incarnation, sent, datagramBytes({ flow: other.flow, text }));
          return;
        }
        const local: LocalTarget = { flow: localName(target.flow), named: target };
        own.send(local, text);
      },
      flowById(id) {
        const other = remote(id);
        if (other !== undefined) return other.flow;
        const flow = own.flowById(localName(id));
        return flow && flows.named(flow);
      },
      keep: (id) => own.keep(localName(id)),
      cut: (id) => own.cut(localName(id)),
    };
  };
}

/** The rest of the own transports, whose counts change. */
function wrapped(own: Transports): Pick<Transports, 'addresses' | 'counters' | 'connections' | 'close'> {
  return {
    get addresses() {
      return own.addresses;
    },
    get counters() {
      return own.counters;
    },
    get connections() {
      return own.connections;
    },
    close: () => own.close(),
  };
}

/** What the own sockets report, with the names that flows have in the cluster. */
function localListener(
  listener: TransportListener,
  { nodes, receives, flows }: Pick<NodeTransportsDeps, 'nodes' | 'receives'> & { readonly flows: NodeFlows },
): TransportListener {
  function message(text: ByteString, flow: Flow): void {
    const named = flows.named(flow);
    const home = incarnationOf(text);
    if (home === undefined || home === nodes.own || !nodes.isAlive(home)) listener.onMessage(text, named);
    else if (receives(named)) nodes.notify(home, received, datagramBytes({ flow: named, text }));
  }

  function sendFailed({ target, text, sentence }: SendFailure): void {
    const { named = target, sender } = target as Partial<LocalTarget>;
    if (sender === undefined) listener.onSendFailed?.({ target: named, text, sentence });
    else if ('flow' in named) {
      const flow = readFlowName(named.flow)?.flow;
      if (flow !== undefined) nodes.notify(sender, failed, datagramBytes({ flow, text }));
    }
  }

  const { answersStun } = listener;
  return {
    ...listener,
    onMessage: message,
    ...(answersStun && { answersStun: (flow: Flow) => answersStun(flows.named(flow)) }),
    onSendFailed: sendFailed,
    onFlowClosed: (flow) => listener.onFlowClosed?.(flows.closed(flow)),
  };
}
