import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Registrations } from '@jackfield/ports';
import type { Flow } from '@jackfield/sip';
import type { TransportListener, Transports } from '@jackfield/sip/transport';
import { type Admission, admitAll } from './admission/admission.ts';
import { edgeAt, offer, soon, edgeWorld as world } from './testing/edge-world.ts';

describe('an outgoing leg', () => {
  it('has early media when its phone answers the offer in a 183, reported once and before the answer', async () => {
    const w = await world();
    w.dial();
    await w.clock.advance(100);
    const content = { body: offer, contentType: 'application/sdp' };
    w.invites[0]?.ring(183, { content });
    await w.clock.advance(100);
    w.invites[0]?.ring(180, { content });
    await w.clock.advance(100);
    assert.equal(w.types().filter((type) => type === 'leg-early').length, 1);
    w.invites[0]?.accept(content);
    await w.clock.advance(100);
    assert.deepEqual(
      [w.types()[0], w.types()[1], w.types().at(-1)],
      ['leg-ringing', 'leg-early', 'leg-answered'],
    );
    w.edge.telephony.hangUp('leg-1');
    await w.leavesNothing();
  });

  it('is hung up on while its port is being opened: no INVITE leaves, and the port is closed', async () => {
    const w = await world();
    const open = w.media.hold();
    w.dial();
    w.edge.telephony.hangUp('leg-1');
    open();
    await w.clock.advance(soon);
    assert.deepEqual(w.notices, [{ type: 'leg-ended', leg: 'leg-1', end: { by: 'local' } }]);
    assert.equal(w.invites.length, 0);
    await w.leavesNothing();
  });

  it('ends with media-failed when no port is left', async () => {
    const w = await world();
    w.media.hold()(new Error('no port'));
    w.dial();
    await w.clock.advance(soon);
    assert.deepEqual(w.notices, [{ type: 'leg-ended', leg: 'leg-1', end: { by: 'media-failed' } }]);
    await w.leavesNothing();
  });

  it('ends when its target is no valid URI, and no other leg does', async () => {
    const w = await world();
    w.dial({ targets: [{ uri: 'sip:bob @10.0.0.2' }] });
    await w.clock.advance(soon);
    assert.deepEqual(w.types(), ['leg-ended']);
    assert.equal(w.log.lines.filter(({ level }) => level === 'error').length, 1);
    await w.leavesNothing();
  });

  it('whose answer has no common codec is acknowledged, hung up, and ends with media-failed', async () => {
    const w = await world();
    w.dial();
    await w.clock.advance(soon);
    const foreign = offer.replace('RTP/AVP 0', 'RTP/AVP 18');
    w.invites[0]!.listen({ ended: (reason) => void w.happened.push(reason.by) });
    w.invites[0]!.accept({ body: foreign, contentType: 'application/sdp' });
    await w.clock.advance(soon);
    assert.deepEqual(w.happened, ['remote-bye']);
    assert.deepEqual(w.notices, [{ type: 'leg-ended', leg: 'leg-1', end: { by: 'media-failed' } }]);
    await w.leavesNothing();
  });

  it('has an address of the server in From, whatever the name of its caller', async () => {
    const w = await world();
    w.dial(
      {},
      {
        from: 'sip:al"ice@evil.example;x',
        callerName: 'Zo\u00eb "Z"\r\nX-Evil: 1\u0000',
        sipHeaders: { Note: 'a\r\nX-Evil: 1', 'Evil:': 'name' },
      },
    );
    await w.clock.advance(soon);
    const { headers } = w.invites[0]!.request;
    assert.match(
      headers.get('From') ?? '',
      /^"Zo\xc3\xab \\"Z\\" X-Evil: 1" <sip:al%22ice@sip\.example\.com>;tag=/,
    );
    assert.equal(headers.get('X-PH-Note'), 'a X-Evil: 1');
    assert.equal(headers.has('X-Evil'), false);
    assert.equal(headers.has('X-PH-Evil'), false);
    w.invites[0]!.reject(486);
    await w.leavesNothing();
  });
});

describe('an incoming leg', () => {
  it('whose caller gives up while the port for the answer is being opened leaves no port open', async () => {
    const w = await world();
    const call = w.call();
    await w.clock.advance(300);
    const [offered] = w.notices;
    const open = w.media.hold();
    w.edge.telephony.ring(offered!.leg);
    w.edge.telephony.answer(offered!.leg);
    await w.clock.advance(soon);
    call.hangUp();
    await w.clock.advance(soon);
    assert.deepEqual(w.types(), ['leg-offered', 'leg-ended']);
    open();
    await w.leavesNothing();
  });

  for (const from of [
    '<tel:+12025550111>',
    '"Ann" <tel:+1-202-555-0111;phone-context=example.com>',
    '<sip:+12025550111;oli=62@carrier.example;user=phone>',
    '<sip:+1-202-555-0111@carrier.example;user=phone>',
  ]) {
    it(`has the number of its caller from ${from}`, async () => {
      const w = await world();
      const call = w.call({ from });
      await w.clock.advance(soon);
      const [offered] = w.notices;
      assert.equal(offered?.type === 'leg-offered' && offered.from, '+12025550111');
      call.hangUp();
      await w.leavesNothing();
    });
  }

  it('that the platform answers twice sends one answer', async () => {
    const w = await world();
    const call = w.call();
    await w.clock.advance(soon);
    const { leg } = w.notices[0]!;
    w.edge.telephony.answer(leg);
    w.edge.telephony.answer(leg);
    await w.clock.advance(soon);
    assert.deepEqual(w.types(), ['leg-offered', 'leg-answered']);
    call.hangUp();
    await w.clock.advance(soon);
    assert.deepEqual(w.notices.at(-1), { type: 'leg-ended', leg, end: { by: 'remote-bye' } });
    await w.leavesNothing();
  });

  it('continues unchanged when the ACK of a re-INVITE without offer has no answer', async () => {
    const w = await world();
    const reoffered: string[] = [];
    const call = w.call({}, { offerAnswered: ({ body }) => void reoffered.push(body) });
    await w.clock.advance(soon);
    const { leg } = w.notices[0]!;
    w.edge.telephony.answer(leg);
    await w.clock.advance(soon);
    call.offer({ body: '', contentType: 'application/sdp' });
    await w.clock.advance(soon);
    assert.match(reoffered[0] ?? '', /^m=audio /m);
    assert.deepEqual(w.types(), ['leg-offered', 'leg-answered']);
    call.hangUp();
    await w.leavesNothing();
  });

  it('is hung up on between our 200 with an offer and the ACK with the answer', async () => {
    const w = await world();
    const ended: string[] = [];
    w.call(
      { content: { body: '', contentType: 'application/sdp' } },
      {
        answered: () => {},
        ended: (reason) => void ended.push(reason.by),
      },
    );
    await w.clock.advance(soon);
    const { leg } = w.notices[0]!;
    w.edge.telephony.answer(leg);
    await w.clock.advance(0);
    w.edge.telephony.hangUp(leg, 486);
    await w.clock.advance(soon);
    assert.deepEqual(w.notices.at(-1), { type: 'leg-ended', leg, end: { by: 'local' } });
    assert.deepEqual(ended, ['remote-bye']);
    await w.leavesNothing();
  });

  it('has early media in a 183, and the 200 repeats the same description (RFC 3261 §13.2.1)', async () => {
    const w = await world();
    const bodies: string[] = [];
    const listen = ({ status, body }: { status: number; body: string }) => bodies.push(`${status} ${body}`);
    const call = w.call({}, { ringing: listen, answered: listen });
    await w.clock.advance(soon);
    const { leg } = w.notices[0]!;
    w.edge.telephony.openEarly(leg);
    await w.clock.advance(soon);
    assert.deepEqual(w.types(), ['leg-offered', 'leg-early']);
    w.edge.telephony.answer(leg);
    await w.clock.advance(soon);
    assert.deepEqual(w.types(), ['leg-offered', 'leg-early', 'leg-answered']);
    const [early, answer] = bodies.slice(-2);
    assert.match(early ?? '', /^183 v=0/);
    assert.equal(answer, early?.replace('183', '200'));
    call.hangUp();
    await w.leavesNothing();
  });

  it('whose caller gives up while its port for early media is being opened leaves no port open', async () => {
    const w = await world();
    const call = w.call();
    await w.clock.advance(300);
    const open = w.media.hold();
    const { leg } = w.notices[0]!;
    w.edge.telephony.openEarly(leg);
    w.edge.telephony.answer(leg);
    await w.clock.advance(soon);
    call.hangUp();
    await w.clock.advance(soon);
    open();
    await w.leavesNothing();
    assert.deepEqual(w.types(), ['leg-offered', 'leg-ended']);
  });

  it('that is answered while its early media is being opened has no early media', async () => {
    const w = await world();
    w.call();
    await w.clock.advance(soon);
    const { leg } = w.notices[0]!;
    w.edge.telephony.openEarly(leg);
    w.edge.telephony.answer(leg);
    await w.clock.advance(soon);
    assert.deepEqual(w.types(), ['leg-offered', 'leg-answered']);
    w.edge.hangUpAll();
    await w.leavesNothing();
  });

  it('without an offer gets our offer in a reliable 183 where early media is requested (RFC 3262 §5)', async () => {
    const w = await world();
    const rang: number[] = [];
    w.call(
      { content: { body: '', contentType: 'application/sdp' } },
      { ringing: ({ status }) => rang.push(status) },
    );
    await w.clock.advance(soon);
    w.edge.telephony.openEarly(w.notices[0]!.leg);
    await w.clock.advance(soon);
    assert.deepEqual([rang, w.types()], [[183], ['leg-offered', 'leg-early']]);
    w.edge.hangUpAll();
    await w.leavesNothing();
  });

  it('reports X-PH headers with at most 24 characters of name and 120 of value', async () => {
    const w = await world();
    const name = 'n'.repeat(24);
    w.call({
      headers: [
        [`X-PH-${name}`, 'v'],
        [`X-PH-${name}n`, 'v'],
        ['X-PH-Full', 'v'.repeat(120)],
        ['X-PH-Longer', 'v'.repeat(121)],
      ],
    });
    await w.clock.advance(soon);
    const [notice] = w.notices;
    assert.ok(notice?.type === 'leg-offered');
    assert.deepEqual(Object.keys(notice.headers), ['SIP-H-To', `X-PH-${name}`, 'X-PH-Full']);
    assert.equal(notice.headers['X-PH-Full'], 'v'.repeat(120));
    w.edge.hangUpAll();
    await w.leavesNothing();
  });

  it('reports To and the X-PH headers of its INVITE, 31 of them at most', async () => {
    const w = await world();
    const many = Array.from({ length: 40 }, (_, n) => [`X-PH-N${n}`, 'v'] as const);
    w.call({ headers: [['x-ph-Order', '4711'], ['X-Other', 'no'], ...many] });
    await w.clock.advance(soon);
    const [notice] = w.notices;
    assert.ok(notice?.type === 'leg-offered');
    assert.equal(notice.headers['X-PH-Order'], '4711');
    assert.equal(notice.headers['SIP-H-To'], '<sip:bob@sip.example.com>');
    assert.equal(notice.headers['X-Other'], undefined);
    assert.equal(Object.keys(notice.headers).length, 32);
    w.edge.hangUpAll();
    await w.leavesNothing();
  });

  it('reports the keys and the quality in INFO, and ignores every other INFO', async () => {
    const w = await world();
    const call = w.call();
    await w.clock.advance(soon);
    const { leg } = w.notices[0]!;
    w.edge.telephony.answer(leg);
    await w.clock.advance(soon);
    call.sendInfo({ body: 'Signal=#\r\nDuration=90\r\n', contentType: 'application/dtmf-relay' });
    call.sendInfo({ body: '5', contentType: 'application/dtmf' });
    call.sendInfo({ body: '5', contentType: 'text/plain' });
    const quality = 'application/vnd.jackfield.call-quality+json';
    call.sendInfo({ body: '{"samples":[]}', contentType: `${quality};charset=utf-8` });
    call.sendInfo({ body: 'x'.repeat(16_385), contentType: quality });
    await w.clock.advance(soon);
    assert.deepEqual(w.reports, ['{"samples":[]}']);
    assert.deepEqual(w.keys, [
      { leg, digit: '#', durationMs: 90 },
      { leg, digit: '5', durationMs: 160 },
    ]);
    call.hangUp();
    await w.leavesNothing();
  });

  it('is refused with 503 when no port is left, and with the requested status otherwise', async () => {
    const w = await world();
    w.call();
    await w.clock.advance(soon);
    w.media.hold()(new Error('no port'));
    w.edge.telephony.answer(w.notices[0]!.leg);
    await w.clock.advance(soon);
    w.call();
    await w.clock.advance(soon);
    w.edge.telephony.hangUp(w.notices.at(-1)!.leg, 486);
    await w.clock.advance(soon);
    assert.deepEqual(w.happened, ['503', '486']);
    assert.deepEqual(
      w.notices.flatMap((notice) => (notice.type === 'leg-ended' ? [notice.end.by] : [])),
      ['media-failed', 'local'],
    );
    await w.leavesNothing();
  });

  for (const [what, target, status] of [
    ['a host that is not ours', 'sip:bob@elsewhere.example', '404'],
    ['nobody', 'sip:sip.example.com', '404'],
    ['a name with a NUL', 'sip:b%00b@sip.example.com', '404'],
  ] as const) {
    it(`for ${what} is refused with ${status}`, async () => {
      const w = await world();
      w.call({ targets: [{ uri: target }], routes: [`<sip:${edgeAt.address};lr>`] });
      await w.clock.advance(soon);
      assert.deepEqual([w.happened, w.notices], [[status], []]);
      await w.leavesNothing();
    });
  }

  it('for a tel URI is offered to its number (RFC 3966 §3)', async () => {
    const w = await world();
    w.call({ targets: [{ uri: 'tel:+1-202-555-0100' }], routes: [`<sip:${edgeAt.address};lr>`] });
    await w.clock.advance(soon);
    const [notice] = w.notices;
    assert.ok(notice?.type === 'leg-offered');
    assert.equal(notice.to, '+12025550100');
    w.edge.hangUpAll();
    await w.leavesNothing();
  });

  it('with a body of another type is refused with 415 (RFC 3261 §8.2.3)', async () => {
    const w = await world();
    w.call({ content: { body: 'hello', contentType: 'text/plain' } });
    await w.clock.advance(soon);
    assert.deepEqual([w.happened, w.notices], [['415'], []]);
    await w.leavesNothing();
  });

  it('whose credential was looked up while the drain began is refused with 503', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const trusting = admitAll('MA1');
    let isDraining = false;
    const w = await world({
      admission: { admit: (...asked) => promise.then(() => trusting.admit(...asked)) },
      isDraining: () => isDraining,
    });
    w.call();
    await w.clock.advance(soon);
    isDraining = true;
    resolve();
    await w.clock.advance(soon);
    assert.deepEqual([w.happened, w.notices], [['503'], []]);
    await w.leavesNothing();
  });

  it('whose caller gives up while its credential is looked up is neither reported nor followed by a trace', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const trusting = admitAll('MA1');
    const followed: string[] = [];
    const w = await world({
      admission: { admit: (...asked) => promise.then(() => trusting.admit(...asked)) },
      trace: { scope: 'none', message() {}, belongs: (_callId, leg) => void followed.push(leg) },
    });
    const call = w.call();
    // CANCEL waits for the 100 (RFC 3261 §9.1), which is sent after 200 ms.
    await w.clock.advance(300);
    call.hangUp();
    await w.clock.advance(soon);
    resolve();
    await w.clock.advance(soon);
    assert.deepEqual([w.happened, w.types(), followed], [['local'], ['leg-ended'], []]);
    await w.leavesNothing();
  });

  it('is answered 503 with Retry-After while the database is away', async () => {
    const gone = Object.assign(new Error('the database is gone'), { code: 'database-unavailable' });
    const w = await world({ admission: { admit: () => Promise.reject(gone) } });
    w.call();
    await w.clock.advance(soon);
    assert.deepEqual(w.happened, ['503']);
    await w.leavesNothing();
  });

  it('is answered 500 when the credential cannot be looked up', async () => {
    const broken: Admission = { admit: () => Promise.reject(new Error('the database is gone')) };
    const w = await world({ admission: broken });
    w.call();
    await w.clock.advance(soon);
    assert.deepEqual(w.happened, ['500']);
    await w.leavesNothing();
  });
});

describe('an edge and a phone', () => {
  it('call each other and end every leg once, whichever side hangs up and when', async () => {
    for (let ms = 0; ms < 12; ms++) {
      for (const side of ['caller', 'callee'] as const) {
        const w = await world();
        const call = w.call();
        const hangUpAt = w.clock.now() + ms;
        let leg: string | undefined;
        for (let step = 0; step < 20; step++) {
          await w.clock.advance(1);
          const offered = w.notices.find(({ type }) => type === 'leg-offered');
          if (leg === undefined && offered !== undefined) {
            leg = offered.leg;
            w.edge.telephony.answer(leg);
          }
          if (w.clock.now() !== hangUpAt + 1) continue;
          if (side === 'caller') call.hangUp();
          else w.edge.hangUpAll();
        }
        call.hangUp();
        w.edge.hangUpAll();
        await w.leavesNothing();
        assert.equal(w.happened.filter((each) => each !== 'answered').length, 1, `${side} at ${ms} ms`);
      }
    }
  });
});

describe('a REGISTER on a connection', () => {
  it('that is lost while the database writes leaves no binding of that connection', async () => {
    const flow: Flow = {
      id: 'tcp-1',
      protocol: 'tcp',
      reliable: true,
      remoteAddress: '10.0.0.9',
      remotePort: 4000,
      localAddress: edgeAt.address,
      localPort: 5060,
    };
    const written = Promise.withResolvers<void>();
    const order: string[] = [];
    const registrations: Registrations = {
      credentialOf: () => Promise.resolve(undefined),
      bindingsOf: () => Promise.resolve([]),
      knowsInstance: () => Promise.resolve(false),
      async update(_endpoint, decide) {
        await written.promise;
        order.push('bound');
        return decide([]).result;
      },
      async dropFlow() {
        order.push('dropped');
      },
    };
    let listener: TransportListener | undefined;
    let isOpen = true;
    const w = await world({
      registrations,
      openTransports: async (given) => {
        listener = given;
        return {
          send() {},
          flowById: () => (isOpen ? flow : undefined),
          addresses: [{ protocol: 'udp', ...edgeAt }],
          counters: {} as Transports['counters'],
          connections: 0,
          keep() {},
          cut() {},
          close: () => Promise.resolve(),
        };
      },
    });
    listener?.onMessage(
      [
        'REGISTER sip:sip.example.com SIP/2.0',
        'Via: SIP/2.0/TCP 10.0.0.9:4000;branch=z9hG4bK1',
        'From: <sip:alice@sip.example.com>;tag=1',
        'To: <sip:alice@sip.example.com>',
        'Call-ID: 1',
        'CSeq: 1 REGISTER',
        'Contact: <sip:alice@10.0.0.9;transport=tcp>',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
      flow,
    );
    await w.clock.advance(0);
    isOpen = false;
    listener?.onFlowClosed?.(flow);
    written.resolve();
    await w.clock.advance(0);
    assert.deepEqual(order, ['dropped', 'bound', 'dropped']);
    await w.close();
  });
});
