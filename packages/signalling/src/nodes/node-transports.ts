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

/** A message that arrived at the sending node, for a transaction or dialog of the receiving node. */
const received = 'sip';
/** A message of the sending node, to be sent on a flow of the receiving node. */
const sent = 'sip-send';
/** A message of `sip-send` did not reach the network. */
const failed = 'sip-failed';

/** A target among the transports of this node. */
interface LocalTarget {
  readonly flow: string;
  /** The target as its sender named it. */
  readonly named: SendTarget;
  /** The node that sends the message; this node when absent. */
  readonly sender?: string;
}

/**
 * Gives each node the connections of all nodes: a message for a dialog or transaction of another node is passed on to it, and a message to a
 * flow of another node is sent by that node.
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

    /** The name among this node's transports. A UDP flow of a node that has ended is tried from here: some networks of phones let in datagrams of every sender. */
    const localName = (id: string) => flows.local(id) ?? readFlowName(id)?.local ?? id;

    /** The flow of another node that is alive; undefined for every other flow. */
    function remote(id: string): NamedFlow | undefined {
      if (flows.local(id) !== undefined) return undefined;
      const named = readFlowName(id);
      return named !== undefined && named.incarnation !== nodes.own && nodes.isAlive(named.incarnation)
        ? named
        : undefined;
    }

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

/** The members of this node's transports that stay; getters, because the values change. */
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

/** Receives the events of this node's sockets, and gives flows their names in the cluster. */
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
