import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { parseMessage } from '../message/parse-message.ts';
import { createMemoryLink, type MemoryLink, recordingListener } from './testing/memory-link.ts';
import type { UserAgentDeps } from './user-agent-options.ts';

const content = { body: 'v=0', contentType: 'application/sdp' };
const empty = { transactions: 0, dialogs: 0, timers: 0 };

interface Fields {
  method?: string;
  uri?: string;
  branch?: string;
  callId?: string;
  to?: string;
  cseq?: number;
  more?: string[];
  via?: string;
}

function text(fields: Fields = {}): string {
  const {
    method = 'OPTIONS',
    uri = 'sip:bob@10.0.0.2',
    branch = 'z9hG4bK1',
    callId = 'c1',
    to = '<sip:bob@10.0.0.2>',
    cseq = 1,
    more = [],
  } = fields;
  const via = fields.via ?? `SIP/2.0/UDP 10.0.0.1:5060;rport;branch=${branch}`;
  const lines = [
    `${method} ${uri} SIP/2.0`,
    `Via: ${via}`,
    'Max-Forwards: 70',
    'From: <sip:alice@10.0.0.1>;tag=a',
    `To: ${to}`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq} ${method}`,
    ...more,
    'Content-Length: 0',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Bob's answers to these texts; after all timers no state may be left. */
function answers(
  texts: string[],
  prepare: (link: MemoryLink) => void = () => {},
  overrides: Partial<UserAgentDeps> = {},
): { lines: string[]; link: MemoryLink } {
  const link = createMemoryLink({}, overrides);
  link.bob.onRequest = (incoming) => incoming.reply(200);
  prepare(link);
  for (const each of texts) link.inject('bob', each);
  const lines = link.bob.sent.map((line) => line.replace('SIP/2.0 ', ''));
  link.clock.advance(400_000);
  assert.deepEqual(link.bob.ua.census(), empty);
  assert.equal(link.clock.pending(), 0);
  return { lines, link };
}

const header = (message: string | undefined, name: string) =>
  parseMessage(message ?? '').message?.headers.get(name);

test('A request reaches the owner once, and its retransmissions get the same response', () => {
  const { lines, link } = answers([text(), text(), text()]);
  assert.deepEqual(lines, ['200 OK', '200 OK', '200 OK']);
  assert.equal(link.bob.requests.length, 1);
  assert.equal(new Set(link.bob.texts).size, 1);
  assert.equal(link.bob.ua.counters.requestsRepeated, 2);
});

test('§8.2.6.2: every response above 100 has a To tag, and only the first answer of an owner is sent', () => {
  const { lines, link } = answers([text()], (on) => {
    on.bob.onRequest = (incoming) => {
      incoming.reply(404);
      incoming.reply(200);
    };
  });
  assert.deepEqual(lines, ['404 Not Found']);
  assert.match(header(link.bob.texts[0], 'To') ?? '', /;tag=t1x/);
});

test('§8.2.2.2: a copy of a request over another path gets a 482', () => {
  const { lines, link } = answers([text(), text({ branch: 'z9hG4bK2' }), text({ branch: 'z9hG4bK2' })]);
  assert.deepEqual(lines, ['200 OK', '482 Loop Detected', '482 Loop Detected']);
  assert.equal(link.bob.requests.length, 1);
});

test('§8.2.2.2: a challenged request that returns with credentials and the same CSeq is not a copy', () => {
  for (const status of [401, 407]) {
    const { lines, link } = answers(
      [text(), text({ branch: 'z9hG4bK2' }), text({ branch: 'z9hG4bK3' })],
      (on) => {
        let asked = 0;
        on.bob.onRequest = (incoming) => incoming.reply(asked++ === 0 ? status : 200);
      },
    );
    assert.deepEqual(lines.slice(1), ['200 OK', '482 Loop Detected']);
    assert.equal(link.bob.requests.length, 2);
  }
});

test('§8.2.2.2: a new CSeq makes a new request', () => {
  assert.deepEqual(answers([text(), text({ branch: 'z9hG4bK2', cseq: 2 })]).lines, ['200 OK', '200 OK']);
});

for (const [why, fields, line] of [
  [
    '§8.2.1: a method that the owner does not serve gets a 405',
    { method: 'PUBLISH' },
    '405 Method Not Allowed',
  ],
  ['§21.5.2: an unknown method gets a 501', { method: 'FROB' }, '501 Not Implemented'],
  [
    '§8.2.2.1: a Request-URI of an unknown scheme gets a 416',
    { uri: 'mailto:bob@x' },
    '416 Unsupported URI Scheme',
  ],
  [
    '§8.2.2.3: an unknown option tag in Require gets a 420',
    { more: ['Require: 100rel, foo'] },
    '420 Bad Extension',
  ],
  [
    '§12.2.2: a To tag of no dialog gets a 481',
    { to: '<sip:bob@10.0.0.2>;tag=gone' },
    '481 Call/Transaction Does Not Exist',
  ],
  ['§15.1.2: a BYE of no dialog gets a 481', { method: 'BYE' }, '481 Call/Transaction Does Not Exist'],
  [
    '§9.2: a CANCEL of no transaction gets a 481',
    { method: 'CANCEL' },
    '481 Call/Transaction Does Not Exist',
  ],
  ['§8.1.1.8: an INVITE without Contact gets a 400', { method: 'INVITE' }, '400 Bad Request'],
] as const) {
  test(why, () => {
    const { lines, link } = answers([text(fields as Fields)]);
    assert.deepEqual(lines, [line]);
    assert.equal(link.bob.requests.length, 0);
  });
}

test('§8.2.1 and §8.2.2.3: a 405 lists the allowed methods and a 420 the unsupported extensions', () => {
  const { link } = answers(
    [text({ method: 'PUBLISH' }), text({ branch: 'z9hG4bK2', cseq: 2, more: ['Require: path, foo, bar'] })],
    () => {},
    { supported: ['path'] },
  );
  assert.equal(
    parseMessage(link.bob.texts[0]!).message?.headers.all('Allow').join(),
    'INVITE,ACK,CANCEL,BYE,OPTIONS,INFO,UPDATE,PRACK,REFER,REGISTER',
  );
  assert.equal(parseMessage(link.bob.texts[1]!).message?.headers.all('Unsupported').join(), 'foo,bar');
});

test('§8.1.1.6: a UAS does not refuse a request because of its Max-Forwards', () => {
  assert.deepEqual(answers([text().replace('Max-Forwards: 70', 'Max-Forwards: 0')]).lines, ['200 OK']);
});

test('Responses without a transaction and stray ACKs are dropped and counted', () => {
  const response = text().replace('OPTIONS sip:bob@10.0.0.2 SIP/2.0', 'SIP/2.0 200 OK');
  const { lines, link } = answers([response, text({ method: 'ACK' }), 'noise', '']);
  assert.deepEqual(lines, []);
  const { strayResponses, strayAcks, malformed } = link.bob.ua.counters;
  assert.deepEqual(
    { strayResponses, strayAcks, malformed },
    { strayResponses: 1, strayAcks: 1, malformed: 2 },
  );
});

test('§17.2.3: requests without a branch of RFC 3261 are identified by URI, From tag, Call-ID, CSeq and top Via', () => {
  const old = (cseq: number) => text({ branch: '1', cseq });
  const { lines, link } = answers([old(1), old(1), old(2), text({ branch: 'z9hG4bK', cseq: 3 })]);
  assert.deepEqual(lines, ['200 OK', '200 OK', '200 OK', '200 OK']);
  assert.equal(link.bob.requests.length, 3);
  assert.equal(link.bob.ua.counters.requestsRepeated, 1);
  assert.equal(link.bob.ua.counters.oldBranch, 4);
});

test('§17.2.3 and §9.2: CANCEL and ACK without a branch find their INVITE', () => {
  const via = 'SIP/2.0/UDP 10.0.0.1';
  const log = recordingListener();
  const { lines, link } = answers(
    [text({ method: 'INVITE', via }), text({ method: 'CANCEL', via })],
    (on) => {
      on.bob.onInvite = (incoming) => incoming.listen(log);
      on.alice.ua.close();
    },
  );
  assert.deepEqual(lines, ['200 OK', '487 Request Terminated']);
  assert.deepEqual(log.log, ['ended remote-cancel']);
  const again = answers([text({ method: 'INVITE', via })], (on) => {
    on.bob.onInvite = (incoming) => {
      incoming.reject(486);
      const to = header(on.bob.texts[0], 'To')!;
      on.inject('bob', text({ method: 'ACK', via, to }));
    };
  });
  assert.deepEqual(again.link.bob.sent, ['SIP/2.0 486 Busy Here'], 'the ACK ends the retransmissions');
  assert.equal(link.bob.ua.counters.strayAcks + again.link.bob.ua.counters.strayAcks, 0);
});

test('§12.1.1: a From without a tag counts as one with an empty tag', () => {
  const link = createMemoryLink();
  const log = recordingListener();
  link.bob.onInvite = (incoming) => {
    incoming.listen(log);
    incoming.accept(content);
  };
  const untagged = (requested: Fields) => text(requested).replace(';tag=a', '');
  link.inject('bob', untagged({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] }));
  const to = header(link.bob.texts[0], 'To')!;
  link.inject('bob', untagged({ method: 'BYE', to, branch: 'z9hG4bK2', cseq: 2 }));
  assert.deepEqual(link.bob.sent, ['SIP/2.0 200 OK', 'SIP/2.0 200 OK']);
  assert.deepEqual(log.log, ['ended remote-bye']);
  link.bob.ua.close();
});

test('A malformed request gets a 400 that is no larger than itself, a malformed ACK or response nothing', () => {
  const broken = text({ more: [`Subject: ${'x'.repeat(80)}`] }).replace('CSeq: 1 OPTIONS', 'CSeq: x OPTIONS');
  const { lines, link } = answers([
    broken,
    broken.replaceAll('OPTIONS', 'ACK'),
    broken.replace('OPTIONS sip:bob@10.0.0.2 SIP/2.0', 'SIP/2.0 200 OK'),
  ]);
  assert.deepEqual(lines, ['400 Bad Request']);
  assert.ok(link.bob.texts[0]!.length <= broken.length);
  const shorter = text().replace('CSeq: 1 OPTIONS', 'CSeq: x OPTIONS');
  const brief = answers([shorter]);
  assert.deepEqual(brief.lines, ['400 '], 'in compact forms it fits');
  assert.ok(brief.link.bob.texts[0]!.length <= shorter.length);
  const smallest = shorter.replace('Max-Forwards: 70\r\n', '').replace('Content-Length: 0\r\n', '');
  const held = answers([smallest.replace('sip:bob@10.0.0.2 ', 'sip:b ')]);
  assert.deepEqual(held.lines, []);
  assert.equal(held.link.bob.ua.counters.amplifying, 1);
});

test('Full tables refuse with 503', () => {
  const more = [`Subject: ${'x'.repeat(80)}`];
  const { lines } = answers([text({ more }), text({ more, branch: 'z9hG4bK2', callId: 'c2' })], () => {}, {
    limits: { maxTransactions: 1 },
  });
  assert.deepEqual(lines, ['200 OK', '503 Service Unavailable']);
});

test('INVITEs without a listener are refused with 503, and go to the listener that comes later', () => {
  const more = ['Contact: <sip:alice@10.0.0.1>'];
  const link = createMemoryLink({}, { on: { request: () => {}, invite: undefined } as never });
  link.inject('bob', text({ method: 'INVITE', more }));
  assert.deepEqual(link.bob.sent, ['SIP/2.0 503 Service Unavailable']);
  link.bob.ua.listen((invite) => invite.reject(486));
  link.inject('bob', text({ method: 'INVITE', more, branch: 'z9hG4bK2', callId: 'c2' }));
  assert.equal(link.bob.sent.at(-1), 'SIP/2.0 486 Busy Here');
  link.bob.ua.close();
});

test('§18.2.2: without rport and from a port other than that of sent-by, the response goes to the port of sent-by', () => {
  const targets: unknown[] = [];
  const link = createMemoryLink({}, { send: (target) => targets.push(target) });
  link.bob.onRequest = (incoming) => incoming.reply(200);
  link.inject('bob', text({ via: 'SIP/2.0/UDP phone.example.com:5099;branch=z9hG4bK1' }));
  link.inject('bob', text({ via: 'SIP/2.0/UDP phone.example.com:5099;rport;branch=z9hG4bK2', callId: 'c2' }));
  assert.deepEqual(targets, [
    { protocol: 'udp', host: '10.0.0.1', port: 5099 },
    { flow: 'udp:10.0.0.2-10.0.0.1' },
  ]);
  link.bob.ua.close();
});

test('§17.2.1: without an answer of the owner the INVITE transaction sends 100 (Trying) after 200 ms', () => {
  const invite = text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] });
  const { lines } = answers([invite], (link) => {
    link.bob.onInvite = (incoming) => {
      link.clock.advance(190);
      assert.deepEqual(link.bob.sent, []);
      link.clock.advance(20);
      incoming.reject(486);
    };
  });
  assert.deepEqual(lines, ['100 Trying', '486 Busy Here']);
});

test('§26.3.2.4: a challenge to an INVITE is not retransmitted by a timer, and its ACK is absorbed', () => {
  const invite = text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] });
  const { link } = answers(
    [invite, invite, text({ method: 'ACK', to: '<sip:bob@10.0.0.2>;tag=x' })],
    (on) => {
      on.bob.onInvite = (incoming) =>
        incoming.reject(401, { headers: [['WWW-Authenticate', 'Digest realm="x", nonce="y"']] });
    },
  );
  assert.deepEqual(link.bob.sent, ['SIP/2.0 401 Unauthorized', 'SIP/2.0 401 Unauthorized']);
  assert.equal(link.bob.ua.counters.strayAcks, 0);
  assert.equal(link.bob.invites.length, 1);
});

test('§9.2: a CANCEL after the final response is answered with 200 and changes nothing', () => {
  const link = createMemoryLink();
  const log = recordingListener();
  link.bob.onInvite = (incoming) => {
    incoming.listen(log);
    incoming.accept(content);
  };
  link.inject('bob', text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] }));
  link.inject('bob', text({ method: 'CANCEL' }));
  const tag = header(link.bob.texts[0], 'To');
  assert.deepEqual(link.bob.sent, ['SIP/2.0 200 OK', 'SIP/2.0 200 OK']);
  assert.equal(header(link.bob.texts[1], 'To'), tag, 'the To tag is that of the INVITE');
  assert.deepEqual(log.log, []);
  link.bob.ua.close();
});

test('RFC 6026: an ACK of a 2xx with the branch of its INVITE is accepted', () => {
  const link = createMemoryLink();
  const log = recordingListener();
  link.bob.onInvite = (incoming) => {
    incoming.listen(log);
    incoming.accept(content);
  };
  link.inject('bob', text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] }));
  link.inject('bob', text({ method: 'ACK', to: header(link.bob.texts[0], 'To')! }));
  assert.deepEqual(log.log, ['acknowledged']);
  link.bob.ua.close();
});

const hash = (algorithm: 'MD5' | 'SHA-256', of: string): string =>
  createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
    .update(of, 'latin1')
    .digest('hex');

test('§22: a challenged INVITE is sent again with credentials and the next CSeq; its ACK carries them too', () => {
  const link = createMemoryLink({}, { hash });
  const seen: string[] = [];
  link.bob.onInvite = (incoming) => {
    const authorization = incoming.request.headers.get('Proxy-Authorization');
    seen.push(incoming.request.headers.get('CSeq')!);
    if (authorization) incoming.accept(content);
    else
      incoming.reject(407, {
        headers: [['Proxy-Authenticate', 'Digest realm="r", nonce="n", algorithm=MD5, qop="auth"']],
      });
  };
  const log = recordingListener();
  const target = {
    targets: [{ uri: 'sip:bob@10.0.0.2' }],
    from: '<sip:a@10.0.0.1>',
    to: '<sip:b@10.0.0.2>',
    content,
  };
  const leg = link.alice.ua.invite({ ...target, credentials: { username: 'a', password: 'secret' } }, log);
  link.clock.advance(100);
  assert.deepEqual(log.log, ['answered v=0']);
  assert.deepEqual(seen, ['1 INVITE', '2 INVITE']);
  const ack = link.alice.texts.at(-1)!;
  assert.match(ack, /^ACK/);
  assert.match(header(ack, 'Proxy-Authorization') ?? '', /username="a".*realm="r"/);
  leg.hangUp();
  link.clock.advance(60_000);
  assert.deepEqual([link.alice.ua.census(), link.bob.ua.census()], [empty, empty]);
});

test('§22.1: refused or missing credentials end the call with the status of the challenge', () => {
  const link = createMemoryLink({}, { hash });
  link.bob.onInvite = (incoming) =>
    incoming.reject(401, { headers: [['WWW-Authenticate', 'Digest realm="r", nonce="n"']] });
  const target = {
    targets: [{ uri: 'sip:bob@10.0.0.2' }],
    from: '<sip:a@10.0.0.1>',
    to: '<sip:b@10.0.0.2>',
    content,
  };
  const wrong = recordingListener();
  link.alice.ua.invite({ ...target, credentials: { username: 'a', password: 'wrong' } }, wrong);
  const none = recordingListener();
  link.alice.ua.invite(target, none);
  link.clock.advance(100);
  assert.deepEqual([wrong.log, none.log], [['ended rejected 401'], ['ended rejected 401']]);
  assert.equal(link.bob.invites.length, 3);
  link.clock.advance(60_000);
  assert.deepEqual([link.alice.ua.census(), link.bob.ua.census()], [empty, empty]);
});

test('A phone that one call reaches twice rings once: the copy gets a 482, which does not end the call', () => {
  const link = createMemoryLink();
  link.bob.onInvite = (incoming) => incoming.ring();
  const log = recordingListener();
  const targets = [{ uri: 'sip:bob@10.0.0.2' }, { uri: 'sip:bob@10.0.0.2;x=2' }];
  link.alice.ua.invite({ targets, from: '<sip:a@10.0.0.1>', to: '<sip:b@10.0.0.2>', content }, log);
  link.clock.advance(100);
  assert.equal(link.bob.invites.length, 1);
  link.bob.invites[0]!.reject(486);
  link.clock.advance(100);
  assert.deepEqual(log.log, ['ringing 180', 'ended rejected 486']);
  link.clock.advance(60_000);
  assert.deepEqual([link.alice.ua.census(), link.bob.ua.census()], [empty, empty]);
});

test('A closed connection ends its ringing calls, and not its answered ones', () => {
  const link = createMemoryLink({ protocol: 'tcp' });
  const flow = 'tcp:10.0.0.1-10.0.0.2';
  link.bob.onInvite = (incoming) => {
    incoming.ring();
    if (incoming.request.uri.includes('answers')) incoming.accept(content);
  };
  const dial = (user: string) => {
    const log = recordingListener();
    const leg = link.alice.ua.invite(
      {
        targets: [{ uri: `sip:${user}@10.0.0.2`, flow }],
        from: '<sip:a@10.0.0.1>',
        to: '<sip:b@10.0.0.2>',
        content,
      },
      log,
    );
    return { log, leg };
  };
  const ringing = dial('rings');
  const answered = dial('answers');
  link.clock.advance(100);
  link.alice.ua.flowClosed(flow);
  assert.deepEqual(ringing.log.log, ['ringing 180', 'ended transport-failed']);
  assert.deepEqual(answered.log.log, ['ringing 180', 'answered v=0']);
  answered.leg.hangUp();
  link.bob.invites[0]!.hangUp();
  link.clock.advance(60_000);
  assert.deepEqual([link.alice.ua.census(), link.bob.ua.census()], [empty, empty]);
});

test('A text that the transport could not send ends its leg with transport-failed', () => {
  const link = createMemoryLink();
  const log = recordingListener();
  link.alice.ua.invite(
    { targets: [{ uri: 'sip:bob@10.0.0.2' }], from: '<sip:a@10.0.0.1>', to: '<sip:b@10.0.0.2>', content },
    log,
  );
  link.alice.ua.transportFailed(link.alice.texts[0]!);
  assert.deepEqual(log.log, ['ended transport-failed']);
  assert.deepEqual(link.alice.ua.census(), empty);
  link.bob.ua.close();
});

test('A 2xx that could not be sent ends the callee leg with transport-failed', () => {
  const link = createMemoryLink();
  const log = recordingListener();
  link.bob.onInvite = (incoming) => {
    incoming.listen(log);
    incoming.accept(content);
  };
  link.inject('bob', text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] }));
  link.bob.ua.transportFailed(link.bob.texts[0]!);
  assert.deepEqual(log.log, ['ended transport-failed']);
  link.clock.advance(100_000);
  assert.deepEqual(link.bob.ua.census(), empty);
});

test('A leg that ended before its owner listens emits its end when the owner does', () => {
  const link = createMemoryLink();
  link.inject('bob', text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] }));
  link.inject('bob', text({ method: 'CANCEL' }));
  const log = recordingListener();
  link.bob.invites[0]!.listen(log);
  assert.deepEqual(log.log, ['ended remote-cancel']);
  link.bob.ua.close();
});

test('§15: a BYE within the early dialog is answered with 200, and the INVITE with 487', () => {
  const link = createMemoryLink();
  const log = recordingListener();
  link.bob.onInvite = (incoming) => {
    incoming.listen(log);
    incoming.ring();
  };
  link.inject('bob', text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] }));
  const to = header(link.bob.texts[0], 'To')!;
  link.inject('bob', text({ method: 'BYE', to, branch: 'z9hG4bK2', cseq: 2 }));
  assert.deepEqual(link.bob.sent.slice(1), ['SIP/2.0 200 OK', 'SIP/2.0 487 Request Terminated']);
  assert.deepEqual(log.log, ['ended remote-bye']);
  link.bob.ua.close();
});

test('§12: a request with our tag and an unknown From tag is outside the dialog', () => {
  const link = createMemoryLink();
  const log = recordingListener();
  link.bob.onInvite = (incoming) => {
    incoming.listen(log);
    incoming.accept(content);
  };
  link.inject('bob', text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] }));
  const to = header(link.bob.texts[0], 'To')!;
  const bye = text({ method: 'BYE', to, branch: 'z9hG4bK2', cseq: 2 });
  link.inject('bob', bye.replace(';tag=a', ';tag=mallory'));
  assert.equal(link.bob.sent.at(-1), 'SIP/2.0 481 Call/Transaction Does Not Exist');
  assert.deepEqual(log.log, []);
  link.bob.ua.close();
});

test('§10.2 and §22.2: a REGISTER is challenged, sent again with credentials and the next CSeq, and its outcome reported once', () => {
  const link = createMemoryLink({}, { hash });
  link.bob.onRequest = (incoming) => {
    const { headers } = incoming.request;
    if (headers.has('Authorization'))
      incoming.reply(200, { headers: [['Contact', headers.get('Contact')!]] });
    else incoming.reply(401, { headers: [['WWW-Authenticate', 'Digest realm="r", nonce="n", qop="auth"']] });
  };
  const outcomes: string[] = [];
  const register = {
    method: 'REGISTER',
    uri: 'sip:10.0.0.2',
    from: '<sip:a@x>',
    to: '<sip:a@x>',
    contact: true,
  };
  link.alice.ua.request({ ...register, credentials: { username: 'a', password: 'p' } }, (outcome) =>
    outcomes.push(
      outcome.type === 'response' ? `${outcome.response.status} ${outcome.cseq}` : outcome.failure,
    ),
  );
  link.alice.ua.request({ ...register, cseq: 7 }, (outcome) =>
    outcomes.push(
      outcome.type === 'response' ? `${outcome.response.status} ${outcome.cseq}` : outcome.failure,
    ),
  );
  link.clock.advance(100);
  assert.deepEqual(outcomes.sort(), ['200 2', '401 7']);
  assert.equal(link.bob.requests[0]!.request.headers.get('Contact'), '<sip:10.0.0.1:5060>');
  link.clock.advance(60_000);
  assert.deepEqual([link.alice.ua.census(), link.bob.ua.census()], [empty, empty]);
});

test('§17.1.2: an unanswered request times out after 64*T1, and one without a target fails after the call returns', () => {
  const link = createMemoryLink();
  link.alice.drop = () => true;
  const outcomes: string[] = [];
  const note = (outcome: { type: string; failure?: string }) =>
    outcomes.push(outcome.failure ?? outcome.type);
  const options = { method: 'OPTIONS', from: '<sip:a@x>', to: '<sip:b@x>' };
  link.alice.ua.request({ ...options, uri: 'sip:10.0.0.2' }, note);
  link.alice.ua.request({ ...options, uri: 'sip:10.0.0.2;transport=ws' }, note);
  assert.deepEqual(outcomes, []);
  link.clock.advance(100);
  assert.deepEqual(outcomes, ['transport-failed']);
  link.clock.advance(32_000);
  assert.deepEqual(outcomes, ['transport-failed', 'timeout']);
  // 0, 0.5, 1.5, 3.5 s and every 4 s up to 31.5 s.
  assert.equal(link.alice.sent.length, 11);
  assert.deepEqual(link.alice.ua.census(), empty);
});

test('RFC 4320 §4.2: a request that its owner never answers ends after 64*T1 without a response', () => {
  const link = createMemoryLink();
  link.inject('bob', text());
  assert.equal(link.bob.ua.census().transactions, 1);
  link.clock.advance(32_100);
  link.bob.requests[0]!.reply(200);
  assert.deepEqual(link.bob.sent, []);
  assert.deepEqual(link.bob.ua.census(), empty);
});

test('A late answer of the owner within 64*T1 is sent', () => {
  const { link } = answers([text()], (on) => {
    on.bob.onRequest = (incoming) => on.clock.startTimer(on.clock.now() + 5_000, () => incoming.reply(200));
  });
  assert.deepEqual(link.bob.sent, ['SIP/2.0 200 OK']);
});

test('A request or INVITE whose listener throws gets 500', () => {
  const { lines, link } = answers(
    [
      text(),
      text({ method: 'INVITE', callId: 'c2', branch: 'z9hG4bK2', more: ['Contact: <sip:alice@10.0.0.1>'] }),
    ],
    (on) => {
      on.bob.onRequest = on.bob.onInvite = () => {
        throw new Error('owner');
      };
    },
  );
  assert.deepEqual(lines, ['500 Server Internal Error', '500 Server Internal Error']);
  assert.equal(link.bob.ua.counters.listenerErrors, 2);
});

test('An INVITE without an answer of its owner and without CANCEL ends with no-response at the ringing limit', () => {
  const link = createMemoryLink({}, { limits: { ringingLimitMs: 120_000 } });
  const log = recordingListener();
  link.bob.onInvite = (incoming) => {
    incoming.listen(log);
    incoming.ring();
  };
  link.inject('bob', text({ method: 'INVITE', more: ['Contact: <sip:alice@10.0.0.1>'] }));
  link.clock.advance(200_000);
  assert.deepEqual(log.log, ['ended no-response']);
  assert.deepEqual(link.bob.ua.census(), empty);
});
