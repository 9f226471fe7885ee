import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseMessage } from '../message/parse-message.ts';
import { createMemoryLink } from '../user-agent/testing/memory-link.ts';

const seeds = ['./rfc4475/', './rfc5118/', '../../corpus/']
  .map((folder) => new URL(folder, import.meta.url))
  .flatMap((folder) => readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'latin1')))
  .filter((text) => text.length < 5_000);

const put = fc.constantFrom(
  ...[
    '',
    '\r\n',
    '\r',
    '\n',
    '\0',
    '"',
    '<',
    '>',
    ',',
    ';',
    ':',
    '\\',
    '%',
    '@',
    '[',
    ']',
    ' ',
    '\xff',
    '=',
    '1',
  ],
  ...['INVITE', 'ACK', 'CANCEL', 'BYE', 'REGISTER', 'FROB', 'z9hG4bK', 'tag=', 'sip:', 'SIP/2.0', 'UDP'],
  ...[
    '\r\nVia: ',
    '\r\nRequire: x',
    '\r\nContact: *',
    '\r\nl: 0',
    '\r\nAccept: ',
    '\r\nRecord-Route: <sip:x>',
  ],
);
const edit = fc.record({ at: fc.nat(5_000), cut: fc.nat(20), put });
const mutated = fc.tuple(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 5 })).map(([seed, edits]) => {
  let text = seed;
  for (const { at, cut, put } of edits) {
    const position = at % (text.length + 1);
    text = text.slice(0, position) + put + text.slice(position + cut);
  }
  return text;
});

test('An endpoint survives any message, answers in well-formed lines, never with more bytes than a malformed one has, and keeps no state', () => {
  const property = fc.property(
    fc.array(mutated, { minLength: 1, maxLength: 4 }),
    fc.boolean(),
    (texts, accepts) => {
      const link = createMemoryLink();
      const { ua, sent } = link.bob;
      link.alice.ua.close();
      link.bob.onRequest = (incoming) => incoming.reply(200);
      link.bob.onInvite = (invite) => {
        invite.ring();
        if (accepts) invite.accept({ body: 'v=0', contentType: 'application/sdp' });
        else invite.reject(486);
      };
      for (const text of texts) {
        const before = sent.length;
        const { malformed } = ua.counters;
        link.inject('bob', text);
        const isMalformed = ua.counters.malformed > malformed;
        for (const answer of link.bob.texts.slice(before)) {
          const [start, ...fields] = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n');
          assert.match(start!, /^(?:SIP\/2\.0 [1-6][0-9]{2} |[^ ]+ [^ ]+ SIP\/2\.0$)/);
          for (const field of fields) assert.match(field, /^[^\s:]+:/);
          if (isMalformed) assert.ok(answer.length <= text.length, answer);
          if (parseMessage(text).message) assert.ok(!/^SIP\/2\.0 5(?!0[135])/.test(start!), start);
        }
      }
      assert.equal(ua.counters.listenerErrors, 0);
      link.clock.advance(1_000_000);
      assert.deepEqual(ua.census(), { transactions: 0, dialogs: 0, timers: 0 });
      assert.equal(link.clock.pending(), 0);
    },
  );
  fc.assert(property, { numRuns: 600 });
});
