import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PeerNodes } from '@jackfield/ports';
import type { Flow } from '@jackfield/sip';
import type { SendFailure, SendTarget, TransportListener, Transports } from '@jackfield/sip/transport';
import { nodeToken } from './node-tokens.ts';
import { overNodes } from './node-transports.ts';
import { returnedAtAllNodes } from './returned-phones.ts';

type Receive = Parameters<PeerNodes['listen']>[1];

/** Nodes whose notices arrive at once. */
function createPeers() {
  const handlers = new Map<string, Map<string, Receive>>();
  const ended = new Set<string>();
  let notices = 0;
  return {
    end: (node: string) => ended.add(node),
    notices: () => notices,
    of(own: string): PeerNodes {
      const mine = new Map<string, Receive>();
      handlers.set(own, mine);
      return {
        own,
        isAlive: (token) => token !== own && handlers.has(token) && !ended.has(token),
        notify(to, subject, body) {
          notices++;
          for (const [node, subjects] of handlers)
            if (node !== own && (to === '*' || to === node)) subjects.get(subject)?.(body, own);
        },
        listen: (subject, receive) => void mine.set(subject, receive),
      };
    },
  };
}

/** A node with one TCP connection, number 1, and UDP. */
async function nodeOf(peers: ReturnType<typeof createPeers>, own: string, receives = true) {
  const connection: Flow = {
    ...{ id: `tcp-${own}-1`, protocol: 'tcp', reliable: true },
    ...{ remoteAddress: '192.0.2.7', remotePort: 5062, localAddress: '198.51.100.1', localPort: 5060 },
  };
  const out: { readonly target: SendTarget; readonly text: string }[] = [];
  const received: { readonly text: string; readonly flow: Flow }[] = [];
  const failures: SendFailure[] = [];
  const closed: string[] = [];
  let sockets: TransportListener | undefined;
  const open = overNodes({
    nodes: peers.of(own),
    receives: () => receives,
    openTransports: async (listener) => {
      sockets = listener;
      const transports: Partial<Transports> = {
        send: (target, text) => void out.push({ target, text }),
        flowById: (id) => (id === connection.id ? connection : undefined),
        addresses: [],
        connections: 1,
        close: async () => {},
      };
      return transports as Transports;
    },
  });
  const transports = await open({
    onMessage: (text, flow) => void received.push({ text, flow }),
    onSendFailed: (failure) => void failures.push(failure),
    onFlowClosed: ({ id }) => void closed.push(id),
  });
  const arrives = (text: string) => sockets!.onMessage(text, connection);
  /** The network refuses the last message that went out. */
  const refuse = () => sockets!.onSendFailed!({ ...out.at(-1)!, sentence: 'The connection is closed.' });
  const close = () => sockets!.onFlowClosed!(connection);
  return { transports, out, received, failures, closed, arrives, refuse, close };
}

const digits = '0123456789abcdef01234567';
const byeOf = (node: string) =>
  `BYE sip:a@192.0.2.1 SIP/2.0\r\nTo: <sip:a@b>;tag=${nodeToken(digits, node)}\r\n\r\n`;
const invite = 'INVITE sip:a@192.0.2.1 SIP/2.0\r\nTo: <sip:a@b>\r\n\r\n';
const nameAt = (node: string) => `tcp-${node}-1~tcp~192.0.2.7~5062`;

describe('the connections of two nodes', () => {
  it('a message for a dialog of another node is passed on, and its answer goes out where it came in', async () => {
    const peers = createPeers();
    const [one, two] = [await nodeOf(peers, 'one'), await nodeOf(peers, 'two')];
    one.arrives(byeOf('two'));
    assert.deepEqual(one.received, []);
    const [{ text, flow }] = two.received as [{ text: string; flow: Flow }];
    assert.equal(text, byeOf('two'));
    assert.deepEqual([flow.id, flow.reliable, flow.remoteAddress], [nameAt('one'), false, '192.0.2.7']);
    two.transports.send({ flow: flow.id }, 'SIP/2.0 200 OK\r\n\r\n');
    assert.deepEqual(two.out, []);
    assert.deepEqual(
      one.out.map(({ target, text: sent }) => [(target as { flow: string }).flow, sent]),
      [['tcp-one-1', 'SIP/2.0 200 OK\r\n\r\n']],
    );
  });

  for (const [rule, text] of [
    ['without a dialog', invite],
    ['of a dialog of its own', byeOf('one')],
    ['of a dialog of a node that it does not know', byeOf('three')],
  ] as const)
    it(`a message ${rule} stays at the node that received it, under the name of its connection in the cluster`, async () => {
      const peers = createPeers();
      const [one, two] = [await nodeOf(peers, 'one'), await nodeOf(peers, 'two')];
      one.arrives(text);
      assert.deepEqual(
        one.received.map(({ flow }) => [flow.id, flow.reliable]),
        [[nameAt('one'), true]],
      );
      assert.equal(two.received.length + peers.notices(), 0);
    });

  it('a message for a dialog of a node that has ended is answered where it arrives', async () => {
    const peers = createPeers();
    const [one, two] = [await nodeOf(peers, 'one'), await nodeOf(peers, 'two')];
    peers.end('two');
    one.arrives(byeOf('two'));
    assert.deepEqual([one.received.length, two.received.length], [1, 0]);
  });

  it('a message of a banned sender is not passed on', async () => {
    const peers = createPeers();
    const one = await nodeOf(peers, 'one', false);
    await nodeOf(peers, 'two');
    one.arrives(byeOf('two'));
    assert.deepEqual([one.received.length, peers.notices()], [0, 0]);
  });

  it('a message that another node could not send is reported to the node that sent it', async () => {
    const peers = createPeers();
    const [one, two] = [await nodeOf(peers, 'one'), await nodeOf(peers, 'two')];
    two.transports.send({ flow: nameAt('one') }, invite);
    one.refuse();
    assert.deepEqual(one.failures, []);
    assert.deepEqual(
      two.failures.map(({ target, text }) => [target, text]),
      [[{ flow: nameAt('one') }, invite]],
    );
  });

  it('a message that could not be sent on a connection of this node is reported with its name in the cluster', async () => {
    const one = await nodeOf(createPeers(), 'one');
    one.transports.send({ flow: nameAt('one') }, invite);
    one.refuse();
    assert.deepEqual(one.failures[0]?.target, { flow: nameAt('one') });
    one.close();
    assert.deepEqual(one.closed, [nameAt('one')]);
  });

  it('a connection of another node is known until that node has ended', async () => {
    const peers = createPeers();
    const one = await nodeOf(peers, 'one');
    await nodeOf(peers, 'two');
    assert.equal(one.transports.flowById(nameAt('two'))?.remoteAddress, '192.0.2.7');
    peers.end('two');
    assert.equal(one.transports.flowById(nameAt('two')), undefined);
    assert.equal(one.transports.flowById(nameAt('one'))?.reliable, true);
  });

  it('a phone that registers again returns to its calls at all nodes', () => {
    const peers = createPeers();
    const returned: unknown[] = [];
    const at = (node: string) =>
      returnedAtAllNodes({
        nodes: peers.of(node),
        isOpen: () => true,
        returned: (...phone) => {
          returned.push([node, ...phone]);
          return new Set();
        },
      });
    const [one] = [at('one'), at('two')];
    one(['sip:a@192.0.2.7'], nameAt('one'), [nameAt('two')]);
    assert.deepEqual(returned, [
      ['one', ['sip:a@192.0.2.7'], nameAt('one'), [nameAt('two')]],
      ['two', ['sip:a@192.0.2.7'], nameAt('one'), [nameAt('two')]],
    ]);
  });

  it('its calls stay on an open connection of another node, and leave a closed connection', () => {
    for (const isOpen of [true, false]) {
      const peers = createPeers();
      const replacedAtOne: unknown[] = [];
      const at = (node: string) =>
        returnedAtAllNodes({
          nodes: peers.of(node),
          isOpen: (flow) => flow !== nameAt('two') || isOpen,
          returned(_phone, _flow, replaced = []) {
            if (node !== 'one') return new Set();
            replacedAtOne.push(replaced);
            return new Set(replaced.includes(nameAt('two')) ? [] : [nameAt('two')]);
          },
        });
      const [, , three] = [at('one'), at('two'), at('three')];
      three!(['sip:a@192.0.2.7'], nameAt('three'));
      assert.deepEqual(replacedAtOne, isOpen ? [[]] : [[], [nameAt('two')]]);
      // The refresh of a registration asks no node.
      const before = peers.notices();
      at('two')(['sip:a@192.0.2.7'], nameAt('two'));
      assert.equal(peers.notices() - before, 1);
    }
  });
});
