import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SignallingTrace } from '@jackfield/ports';
import type { Flow, Protocol } from '@jackfield/sip';
import type { TransportListener, Transports } from '@jackfield/sip/transport';
import { createRecordingLog } from '@jackfield/testkit';
import type { Defence } from './defence/defence.ts';
import { createEdgeTransports, type EdgeTransportsDeps, transportOf } from './edge-transports.ts';

const flow: Flow = {
  id: 'tcp-1',
  protocol: 'tcp',
  reliable: true,
  remoteAddress: '192.0.2.1',
  remotePort: 5062,
  localAddress: '192.0.2.9',
  localPort: 5060,
};

/** The sockets of an edge that listens on these ports; `happened` has what they and their receiver were given. */
async function edge(
  changes: Partial<EdgeTransportsDeps> = {},
  ports: Partial<Record<Protocol, number>> = {},
) {
  const happened: string[] = [];
  const log = createRecordingLog();
  let sockets: TransportListener | undefined;
  const transports = createEdgeTransports({
    async openTransports(listener) {
      sockets = listener;
      const opened: Partial<Transports> = {
        addresses: Object.entries({ udp: 5060, ...ports }).map(([protocol, port]) => ({
          protocol: protocol as Protocol,
          address: '192.0.2.9',
          port,
        })),
        connections: 1,
        flowById: (id) => (id === flow.id ? flow : undefined),
        send: (_target, text) => void happened.push(`send ${text}`),
        keep: (id) => void happened.push(`keep ${id}`),
        cut: (id) => void happened.push(`cut ${id}`),
        close: async () => void happened.push('close'),
      };
      return opened as Transports;
    },
    log,
    ...changes,
  });
  await transports.open({
    receive: (text) => void happened.push(`receive ${text}`),
    transportFailed: (text) => void happened.push(`failed ${text}`),
    flowClosed: (id) => void happened.push(`closed ${id}`),
  });
  return { transports, sockets: sockets ?? assert.fail('not open'), happened, log };
}

const defence = (receives: boolean) =>
  ({
    receives: () => receives,
    accepts: () => receives,
    knows: () => receives,
    flowClosed() {},
  }) as unknown as Defence;

describe('The sockets of the SIP edge', () => {
  it('have an address and flows only once they are open', async () => {
    const { transports } = await edge();
    assert.deepEqual(transports.address(), { host: '192.0.2.9', port: 5060 });
    const unopened = createEdgeTransports({
      openTransports: () => assert.fail('not opened'),
      log: createRecordingLog(),
    });
    assert.throws(() => unopened.address(), /not open/);
    assert.throws(() => unopened.send({ flow: 'tcp-1' }, 'BYE'), /not open/);
    assert.deepEqual(
      [unopened.protocolOf('tcp-1'), unopened.connections(), unopened.counters()],
      [undefined, 0, {}],
    );
    await unopened.close();
  });

  it('know the other end of an open flow', async () => {
    const { transports } = await edge();
    assert.deepEqual(
      ['tcp-1', 'tcp-2'].map((id) => [transports.protocolOf(id), transports.remoteAddressOf(id)]),
      [
        ['tcp', '192.0.2.1'],
        [undefined, undefined],
      ],
    );
  });

  it('have the port of a WebSocket for WSS too, and that of UDP for a transport that does not listen', async () => {
    const { transports } = await edge({}, { tls: 5061, ws: 8080 });
    assert.deepEqual(
      (['udp', 'tls', 'ws', 'wss', 'tcp'] as const).map((protocol) => transports.portOf(protocol)),
      [5060, 5061, 8080, 8080, 5060],
    );
  });

  it('cut the connection of a banned source, whose message is neither received nor traced', async () => {
    const traced: string[] = [];
    const trace: SignallingTrace = { scope: 'all', message: ({ text }) => traced.push(text), belongs() {} };
    const text = 'OPTIONS sip:a SIP/2.0\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\n\r\n';
    for (const [receives, outcome] of [
      [false, ['cut tcp-1']],
      [true, [`receive ${text}`]],
    ] as const) {
      const { sockets, happened } = await edge({ defence: defence(receives), trace });
      sockets.onMessage(text, flow);
      assert.deepEqual(happened, outcome);
    }
    assert.deepEqual(traced, [text]);
  });

  it('answer STUN to known phones, and to every phone without a defence', async () => {
    for (const [deps, answers] of [
      [{ defence: defence(false) }, false],
      [{ defence: defence(true) }, true],
      [{}, true],
    ] as const) {
      assert.equal((await edge(deps)).sockets.answersStun?.(flow), answers);
    }
  });
});

describe('The failures of sockets', () => {
  it('a message that could not be sent is reported', async () => {
    const { sockets, happened, log } = await edge();
    sockets.onSendFailed?.({ text: 'BYE', target: { flow: 'tcp-1' }, sentence: 'the flow is closed' });
    assert.deepEqual(happened, ['failed BYE']);
    assert.deepEqual(
      log.lines.map(({ level, sentence }) => [level, sentence]),
      [['debug', 'SIP message could not be sent']],
    );
  });

  it('the bindings of a lost connection are dropped; a failure to do so is logged', async () => {
    const dropped: string[] = [];
    const registrations = {
      async dropFlow(id: string) {
        dropped.push(id);
        if (dropped.length > 1) throw new Error('no database');
      },
    };
    const { sockets, happened, log } = await edge({ registrations });
    for (let loss = 0; loss < 2; loss++) sockets.onFlowClosed?.(flow);
    await new Promise(setImmediate);
    assert.deepEqual(
      [dropped, happened],
      [
        ['tcp-1', 'tcp-1'],
        ['closed tcp-1', 'closed tcp-1'],
      ],
    );
    assert.deepEqual(
      log.lines.map(({ level, sentence }) => [level, sentence]),
      [['error', 'bindings of a lost connection could not be removed']],
    );
  });
});

describe('The transport of a SIP URI', () => {
  for (const [uri, protocol] of [
    ['sip:a@example.com', 'udp'],
    ['sip:a@example.com;transport=tcp', 'tcp'],
    ['sip:a@example.com;transport=tls', 'tls'],
    ['sip:a@example.com;transport=ws', 'udp'],
    ['tel:+12025550100', 'udp'],
  ] as const)
    it(`${uri}: ${protocol}`, () => assert.equal(transportOf(uri), protocol));
});
