import { type Logger, type Registrations, type SignallingTrace, sourceOf } from '@jackfield/ports';
import { type Protocol, paramOf, parseSipUri, type UserAgent } from '@jackfield/sip';
import type { SendTarget, TransportListener, Transports } from '@jackfield/sip/transport';
import type { Defence } from './defence/defence.ts';
import { type TracedTarget, traceMessage } from './trace/tap.ts';

export interface EdgeTransportsDeps {
  /** Opens the sockets; a simulated network can stand in for the real one. */
  readonly openTransports: (listener: TransportListener) => Promise<Transports>;
  /** Limits unauthenticated sources; absent where only the platform's own phones connect. */
  readonly defence?: Defence;
  /** Bindings that end with their connections; absent where no phone registers. */
  readonly registrations?: Pick<Registrations, 'dropFlow'>;
  readonly log: Logger;
  /** Records the messages of calls; absent where no message is recorded. */
  readonly trace?: SignallingTrace;
}

/** Receives the messages and failures of the transports. */
export type TransportReceiver = Pick<UserAgent, 'receive' | 'transportFailed' | 'flowClosed'>;

/** The sockets of one edge. All but `open`, `isOpenFlow` and the counts throw before they are open. */
export interface EdgeTransports {
  open(receiver: TransportReceiver): Promise<void>;
  send: Transports['send'];
  flowById: Transports['flowById'];
  /** The transport of an open connection. */
  protocolOf(flow: string): Protocol | undefined;
  /** The address at the other end of a flow; undefined for a flow that is closed. */
  remoteAddressOf(flow: string): string | undefined;
  /** A connection with an authenticated sender may stay open. */
  keep(flow: string): void;
  address(): { readonly host: string; readonly port: number };
  /** Our port for a transport. Behind a proxy that ends TLS a phone writes WSS where we receive WS. */
  portOf(protocol: Protocol): number;
  connections(): number;
  counters(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

export function createEdgeTransports(deps: EdgeTransportsDeps): EdgeTransports {
  let opened: Transports | undefined;
  /** Known ports do not change; a lookup would cost as much as one header of every message. */
  const ports = new Map<Protocol, number>();

  function transports(): Transports {
    if (opened === undefined) throw new Error('The SIP edge is not open');
    return opened;
  }

  function address(): { readonly host: string; readonly port: number } {
    const [local] = transports().addresses;
    if (local === undefined) throw new Error('The SIP transports have no address');
    return { host: local.address, port: local.port };
  }

  function tracedTarget(target: SendTarget): TracedTarget | undefined {
    if ('flow' in target) return opened?.flowById(target.flow);
    return { protocol: target.protocol, remoteAddress: target.host, remotePort: target.port };
  }

  return {
    async open(receiver) {
      opened = await deps.openTransports(transportListener(deps, receiver, (flow) => opened?.cut(flow)));
    },
    send(target, text) {
      if (deps.trace !== undefined && deps.trace.scope !== 'none')
        traceMessage(deps.trace, 'sent', text, tracedTarget(target));
      transports().send(target, text);
    },
    flowById: (id) => transports().flowById(id),
    protocolOf: (flow) => opened?.flowById(flow)?.protocol,
    remoteAddressOf: (flow) => opened?.flowById(flow)?.remoteAddress,
    keep: (flow) => opened?.keep(flow),
    address,
    portOf(protocol) {
      const known = ports.get(protocol);
      if (known !== undefined) return known;
      const { addresses } = transports();
      const family = protocol === 'wss' ? 'ws' : protocol;
      const own =
        addresses.find((each) => each.protocol === protocol) ??
        addresses.find((each) => each.protocol.startsWith(family));
      // A WebSocket has no port before the HTTP interface listens.
      if (own === undefined) return address().port;
      ports.set(protocol, own.port);
      return own.port;
    },
    connections: () => opened?.connections ?? 0,
    counters: () => opened?.counters ?? {},
    close: async () => opened?.close(),
  };
}

function transportListener(
  { defence, registrations, log, trace }: EdgeTransportsDeps,
  receiver: TransportReceiver,
  cut: (flow: string) => void,
): TransportListener {
  return {
    onMessage(text, flow) {
      if (defence !== undefined && !defence.receives(flow)) {
        cut(flow.id);
        return;
      }
      if (trace !== undefined) traceMessage(trace, 'received', text, flow);
      receiver.receive(text, flow);
    },
    ...(defence === undefined ? {} : { accepts: defence.accepts, sourceOf }),
    // Without a defence all phones are ours.
    answersStun: ({ id }) => defence === undefined || defence.knows(id),
    onSendFailed(failure) {
      log.debug({ target: failure.target, reason: failure.sentence }, 'SIP message could not be sent');
      receiver.transportFailed(failure.text, failure.target);
    },
    onFlowClosed(flow) {
      receiver.flowClosed(flow.id);
      defence?.flowClosed(flow.id);
      registrations?.dropFlow(flow.id).catch((error: unknown) => {
        log.error({ flow: flow.id, err: error }, 'bindings of a lost connection could not be removed');
      });
    },
    onFault: (error) => log.warn({ err: error }, 'SIP socket fault'),
  };
}

/** The transport that a SIP URI names; UDP without one. */
export function transportOf(uri: string): Protocol {
  const named = paramOf(parseSipUri(uri)?.params ?? [], 'transport');
  return named === 'tcp' || named === 'tls' ? named : 'udp';
}
