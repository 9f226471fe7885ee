import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMessage, type SipRequest } from '@jackfield/sip';
import { createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import type { Admission } from './admission.ts';
import { createCarrierAdmission } from './carrier-admission.ts';

const elsewhere: Admission = { admit: async () => ({ ok: false, status: 401, headers: [] }) };

/** A carrier that registers with 192.0.2.3, where the next one may as well. */
function registered(name: string, aor: string) {
  return { name, host: '192.0.2.3', addresses: [], registration: { aor } };
}

function admissionOf(account: string | undefined = 'MAOPERATOR') {
  return createCarrierAdmission({
    carriers: [
      { name: 'alpha', host: '192.0.2.1', addresses: ['198.51.100.0/24'] },
      { name: 'beta', host: '[2001:db8::1]', addresses: [] },
      registered('gamma', 'sip:123456@sip.gamma.example'),
      registered('delta', 'sip:+442079460107@sip.gamma.example'),
    ],
    account: () => account,
    clock: createVirtualClock(),
    log: createRecordingLog(),
    domains: ['sip.example.com'],
    otherwise: elsewhere,
  });
}

function request(uri: string, to = 'sip:+442079460100@sip.example.com', method = 'INVITE'): SipRequest {
  const { message } = parseMessage(
    [
      `${method} ${uri} SIP/2.0`,
      'Via: SIP/2.0/UDP 192.0.2.1:5060;branch=z9hG4bK1',
      'From: <sip:+12025550111@192.0.2.1>;tag=a',
      `To: <${to}>`,
      'Call-ID: 1',
      `CSeq: 1 ${method}`,
      'Contact: <sip:192.0.2.1>',
      'Max-Forwards: 70',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  );
  assert.equal(message?.kind, 'request');
  return message as SipRequest;
}

describe('a call from a carrier', () => {
  it('is recognised by the addresses and networks of the file, IPv4 and IPv6', async () => {
    const { admit } = admissionOf();
    const uri = 'sip:+442079460100@192.0.2.9';
    for (const [source, carrier] of [
      ['192.0.2.1', 'alpha'],
      ['::ffff:192.0.2.1', 'alpha'],
      ['198.51.100.77', 'alpha'],
      ['2001:db8::1', 'beta'],
    ] as const) {
      assert.deepEqual(await admit(request(uri), source, 'udp-1'), {
        ok: true,
        account: 'MAOPERATOR',
        endpoint: '',
        user: '',
        carrier,
        callee: '+442079460100',
      });
    }
  });

  it('from any other address is challenged', async () => {
    const { admit } = admissionOf();
    for (const source of ['192.0.2.2', '198.51.101.1', '2001:db8::2', 'nonsense', '']) {
      assert.deepEqual(await admit(request('sip:+1@192.0.2.9'), source, 'udp-1'), {
        ok: false,
        status: 401,
        headers: [],
      });
    }
  });

  it('names its number in the Request-URI, or in To where the Request-URI is our registered Contact', async () => {
    const { admit } = admissionOf();
    const callee = async (uri: string, to?: string) => {
      const admitted = await admit(request(uri, to), '192.0.2.1', 'udp-1');
      return admitted.ok ? admitted.callee : admitted.status;
    };
    assert.equal(await callee('sip:442079460199@192.0.2.9'), '+442079460199');
    assert.equal(await callee('tel:+44-20-7946-0199'), '+442079460199');
    assert.equal(await callee('sip:+442079460199;npdi;rn=+442079460200@192.0.2.9'), '+442079460199');
    assert.equal(await callee('sip:jackfield@192.0.2.9'), '+442079460100');
    assert.equal(await callee('sip:jackfield@192.0.2.9', 'sip:jackfield@192.0.2.9'), 404);
  });

  it('names its number in To first where the Request-URI has the user of our registration', async () => {
    const { admit } = admissionOf();
    const callee = async (user: string, to: string) => {
      const admitted = await admit(request(`sip:${user}@198.51.100.7:5060`, to), '192.0.2.3', 'udp-1');
      return admitted.ok ? [admitted.carrier, admitted.callee] : admitted.status;
    };
    const to = 'sip:+442079460100@sip.gamma.example';
    assert.deepEqual(await callee('123456', to), ['gamma', '+442079460100']);
    assert.deepEqual(await callee('+442079460107', to), ['delta', '+442079460100']);
    assert.deepEqual(await callee('+442079460107', 'sip:anyone@sip.gamma.example'), [
      'delta',
      '+442079460107',
    ]);
    assert.deepEqual(await callee('442079460199', to), ['gamma', '+442079460199']);
  });

  it('is admitted by its address; other requests from there, and calls through trunks, are decided as usual', async () => {
    const { admit } = admissionOf();
    const others = [
      request('sip:sip.example.com', undefined, 'REGISTER'),
      request('sip:+442079460100@12345678901234.zt.sip.example.com'),
    ];
    for (const each of others) assert.equal((await admit(each, '192.0.2.1', 'udp-1')).ok, false);
  });

  it('belongs to the account of the dialled number', async () => {
    const asked: string[] = [];
    const { admit } = createCarrierAdmission({
      carriers: [{ name: 'alpha', host: '192.0.2.1', addresses: [] }],
      account: async (number) => {
        asked.push(number);
        return 'SAHOLDER';
      },
      clock: createVirtualClock(),
      log: createRecordingLog(),
      domains: [],
      otherwise: elsewhere,
    });
    const admitted = await admit(request('sip:442079460199@192.0.2.9'), '192.0.2.1', 'udp-1');
    assert.equal(admitted.ok && admitted.account, 'SAHOLDER');
    assert.deepEqual(asked, ['+442079460199']);
  });

  it('is recognised by the addresses of its host, and by those where calls go to it', async () => {
    const clock = createVirtualClock();
    const log = createRecordingLog();
    const asked: string[] = [];
    const addresses = new Map([
      ['sip:sip.alpha.example', ['198.51.100.1', '198.51.100.2']],
      ['sip:sip.alpha.example:5060', ['198.51.100.3']],
      ['sip:sip.beta.example:5071;transport=tls', ['203.0.113.1']],
    ]);
    const { admit, knows, close } = createCarrierAdmission({
      carriers: [
        {
          name: 'alpha',
          host: 'sip.alpha.example',
          port: undefined,
          transport: 'udp',
          addresses: ['192.0.2.1'],
        },
        { name: 'beta', host: 'sip.beta.example', port: 5071, transport: 'tls', addresses: [] },
      ],
      locate(uri, found) {
        asked.push(uri);
        const hosts = addresses.get(uri) ?? [];
        found(hosts.map((host) => ({ protocol: 'udp', host, port: 5060 })));
      },
      account: () => 'MAOPERATOR',
      clock,
      log,
      domains: [],
      otherwise: elsewhere,
    });
    const uri = 'sip:+442079460100@192.0.2.9';
    const carrierOf = async (source: string) => {
      const admitted = await admit(request(uri), source, 'udp-1');
      return admitted.ok ? admitted.carrier : admitted.status;
    };
    await clock.advance(0);
    assert.deepEqual(asked.toSorted(), [...addresses.keys(), 'sip:sip.beta.example:5060'].toSorted());
    for (const source of ['192.0.2.1', '198.51.100.1', '198.51.100.2', '198.51.100.3'])
      assert.equal(await carrierOf(source), 'alpha', source);
    assert.equal(await carrierOf('203.0.113.1'), 'beta');
    assert.equal(await carrierOf('203.0.113.2'), 401);

    addresses.set('sip:sip.beta.example:5071;transport=tls', ['203.0.113.2']);
    addresses.delete('sip:sip.alpha.example');
    addresses.delete('sip:sip.alpha.example:5060');
    await clock.advance(300_000);
    assert.deepEqual([knows('203.0.113.1'), knows('203.0.113.2')], [false, true]);
    assert.equal(await carrierOf('198.51.100.3'), 'alpha', 'without an answer the last addresses stay');
    assert.equal(log.lines.length, 1);
    close();
    await clock.advance(600_000);
    assert.equal(asked.length, 8, 'no look-up after the end');
  });

  it('by name is looked up again soon while it has no address', async () => {
    const clock = createVirtualClock();
    const answers = [[], ['198.51.100.1']];
    const { knows, close } = createCarrierAdmission({
      carriers: [{ name: 'alpha', host: 'sip.alpha.example', port: 5060, addresses: [] }],
      locate: (_uri, found) =>
        found((answers[0] ?? []).map((host) => ({ protocol: 'udp', host, port: 5060 }))),
      account: () => 'MAOPERATOR',
      clock,
      log: createRecordingLog(),
      domains: [],
      otherwise: elsewhere,
    });
    await clock.advance(0);
    answers.shift();
    await clock.advance(29_999);
    assert.equal(knows('198.51.100.1'), false);
    await clock.advance(1);
    assert.equal(knows('198.51.100.1'), true);
    close();
  });

  it('is refused while the owner of its number is unknown', async () => {
    const starting = createCarrierAdmission({
      carriers: [{ name: 'alpha', host: '192.0.2.1', addresses: [] }],
      account: () => undefined,
      clock: createVirtualClock(),
      log: createRecordingLog(),
      domains: [],
      otherwise: elsewhere,
    });
    assert.equal((await starting.admit(request('sip:+1@192.0.2.9'), '192.0.2.1', 'udp-1')).ok, false);
  });
});
