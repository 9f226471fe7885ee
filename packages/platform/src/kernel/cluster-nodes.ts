import {
  type Bus,
  BusError,
  type Clock,
  type Database,
  type Logger,
  type Metrics,
  type PeerNodes,
} from '@jackfield/ports';
import type { EndedIncarnation, Incarnation } from './incarnation.ts';
import { createNodeMessages, type NodeMessages } from './node-messages.ts';
import { createSuccessor, type Successor } from './successor.ts';

/** This process among the nodes that share its database. */
export interface ClusterNodes {
  /** For signalling, which is created before this node joins the others. */
  readonly peers: PeerNodes;
  /** As of `NodeMessages`; for features, which are created before this node joins the others. */
  readonly request: NodeMessages['request'];
  readonly serve: NodeMessages['serve'];
  /** Joins the bus, and watches the other nodes from then on; `endThings` ends or takes over all that lived in an incarnation. */
  join(endThings: (ended: EndedIncarnation) => Promise<void>): NodeMessages;
  close(): Promise<void>;
}

export interface ClusterNodesDeps {
  readonly joinBus: (incarnation: string) => Bus;
  readonly incarnation: Incarnation;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

interface Joined {
  readonly bus: Bus;
  readonly messages: NodeMessages;
  readonly successor: Successor;
}

export function createClusterNodes(deps: ClusterNodesDeps): ClusterNodes {
  const { joinBus, incarnation, metrics } = deps;
  const listeners = new Map<string, Parameters<PeerNodes['listen']>[1]>();
  const handlers = new Map<string, Parameters<NodeMessages['serve']>[1]>();
  let joined: Joined | undefined;

  const others = () => joined?.successor.others ?? 0;
  metrics.gauge(
    'jackfield_nodes',
    'Running nodes of the cluster, as this node sees them.',
    () => 1 + others(),
  );
  metrics.gauge('jackfield_bus_connected', 'Whether this node has a connection to NATS: 0 or 1.', () =>
    joined?.bus.isConnected === true ? 1 : 0,
  );
  metrics.gauge(
    'jackfield_clock_skew_seconds',
    "How far the clock of this machine is ahead of the database's; negative when it is behind.",
    () => incarnation.clockSkew.ms / 1_000,
  );

  return {
    peers: {
      own: incarnation.token,
      isAlive: (token) => joined?.successor.isAlive(token) ?? false,
      notify: (to, subject, body) => joined?.messages.notify(subject, body, to),
      listen(subject, receive) {
        if (joined === undefined) listeners.set(subject, receive);
        else joined.messages.listen(subject, receive);
      },
    },
    async request(to, ...rest) {
      if (joined === undefined)
        throw new BusError(
          'bus-not-connected',
          `the request to ${to} was not sent: this node has not joined the others yet`,
        );
      return joined.messages.request(to, ...rest);
    },
    serve(subject, handle) {
      if (joined === undefined) handlers.set(subject, handle);
      else joined.messages.serve(subject, handle);
    },
    join(endThings) {
      const bus = joinBus(incarnation.token);
      const messages = createNodeMessages({ ...deps, bus });
      for (const [subject, receive] of listeners) messages.listen(subject, receive);
      for (const [subject, handle] of handlers) messages.serve(subject, handle);
      joined = { bus, messages, successor: createSuccessor({ ...deps, messages, endThings }) };
      return messages;
    },
    async close() {
      await joined?.successor.close();
      await joined?.messages.close();
    },
  };
}
