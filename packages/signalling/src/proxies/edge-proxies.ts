import { isIP } from 'node:net';
import { networksOf } from '@jackfield/ports';
import { addressOfHost, type Flow, type Protocol, paramOf, parseVia, type SipRequest } from '@jackfield/sip';
import { canonicalAddress } from '../leg/peer-addresses.ts';

/** Proxies of the operator: their Via values name the sources of the requests that they pass on. */
export interface EdgeProxies {
  /** Whether messages from this address come from a proxy. */
  isProxy(address: string): boolean;
  /**
   * The flow on which the sender of a request reached the first proxy; `flow` itself without a proxy, and for requests of the proxy itself.
   * Its id is no flow of the transports. Undefined for a request whose sender the proxy does not name.
   */
  senderOf(request: SipRequest, flow: Flow): Flow | undefined;
}

/** No proxy: every sender is the peer of its flow. */
export const noProxies: EdgeProxies = { isProxy: () => false, senderOf: (_request, flow) => flow };

const protocols: Readonly<Record<string, Protocol>> = {
  UDP: 'udp',
  TCP: 'tcp',
  TLS: 'tls',
  WS: 'ws',
  WSS: 'wss',
};

/** Proxies of these networks. */
export function createEdgeProxies(networks: readonly string[]): EdgeProxies {
  if (networks.length === 0) return noProxies;
  const isProxy = networksOf(networks);
  return {
    isProxy,
    senderOf(request, flow) {
      // A proxy replaces a `received` that the sender wrote (RFC 3261 §18.2.1). It has not checked the values below.
      const [, ...below] = request.headers.all('Via');
      let sender: Flow = flow;
      for (const value of below) {
        if (!isProxy(sender.remoteAddress)) return sender;
        const next = hopBefore(value, flow);
        if (next === undefined) return undefined;
        sender = next;
      }
      return sender;
    },
  };
}

/** The sender that a proxy has seen, from the Via value that it stamped. */
function hopBefore(value: string, flow: Flow): Flow | undefined {
  const via = parseVia(value);
  const protocol = protocols[via?.transport ?? ''];
  if (via === undefined || protocol === undefined) return undefined;
  // With two `received` it is not known which of them the proxy wrote.
  if (via.params.filter(({ name }) => name === 'received').length > 1) return undefined;
  const remoteAddress = canonicalAddress(addressOfHost(paramOf(via.params, 'received') || via.host));
  // RFC 3261 §18.2.1: a proxy adds `received` to a name.
  if (isIP(remoteAddress) === 0) return undefined;
  const remotePort = Number(paramOf(via.params, 'rport') || via.port || 5060);
  return {
    ...flow,
    id: `${protocol}-behind-proxy-${remoteAddress}-${remotePort}`,
    protocol,
    reliable: protocol !== 'udp',
    remoteAddress,
    remotePort,
  };
}
