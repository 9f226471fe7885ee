import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Flow } from '@jackfield/sip';
import { createNodeFlows, readFlowName } from './node-flows.ts';

const at = { remoteAddress: '192.0.2.7', remotePort: 5062, localAddress: '198.51.100.1', localPort: 5060 };
const datagram: Flow = { id: 'udp-192.0.2.7-5062', protocol: 'udp', reliable: false, ...at };
const socket: Flow = { id: 'ws-k3f9-12', protocol: 'wss', reliable: true, ...at };

describe('names of flows in a cluster', () => {
  const flows = createNodeFlows('k3f9');

  for (const flow of [
    datagram,
    socket,
    { ...datagram, protocol: 'tls' as const },
    { ...datagram, id: 'udp-2001:db8::7-5062', remoteAddress: '2001:db8::7' },
  ])
    it(`the name of ${flow.id} over ${flow.protocol} gives another node the incarnation and the address`, () => {
      const named = flows.named(flow);
      const { incarnation, local, flow: seen } = readFlowName(named.id) ?? assert.fail(named.id);
      assert.deepEqual([incarnation, local], ['k3f9', flow.id]);
      const { protocol, remoteAddress, remotePort } = flow;
      assert.deepEqual(
        [seen.id, seen.protocol, seen.reliable, seen.remoteAddress, seen.remotePort],
        [named.id, protocol, false, remoteAddress, remotePort],
      );
      assert.deepEqual({ ...named, id: flow.id }, flow);
      assert.equal(flows.local(named.id), flow.protocol === 'udp' ? flow.id : undefined);
      assert.equal(createNodeFlows('k3f').local(named.id), undefined);
    });

  it('a connection keeps its name until it is closed', () => {
    const named = flows.named(socket);
    assert.equal(flows.named({ ...socket }), named);
    assert.equal(flows.closed(socket), named);
    assert.notEqual(flows.named(socket), named);
    assert.equal(flows.named(socket).id, named.id);
  });

  for (const id of [
    'udp-192.0.2.7-5062',
    'udp-2001:db8::7-5062',
    'tcp-k3f9-12',
    '',
    'udp-k3f9-',
    'tcp-k3f9-1~tcp~a',
  ])
    it(`'${id}' is no name of a flow in a cluster`, () => {
      assert.equal(readFlowName(id), undefined);
    });
});
