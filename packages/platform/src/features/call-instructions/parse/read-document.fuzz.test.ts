import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@jackfield/testkit/any-character';
import { mutatedText } from '@jackfield/testkit/mutated';
import fc from 'fast-check';
import { readDocument } from './read-document.ts';

const seeds = [
  '<?xml version="1.0" encoding="UTF-8"?><Response><Speak voice="MAN" loop="2">Hello &amp; <![CDATA[<bye>]]></Speak></Response>',
  '<Response><GetDigits action="https://a.example/" timeout="5"><Play loop="0">https://a.example/a.mp3</Play></GetDigits></Response>',
  '<Response><Dial sipHeaders="a=b,c=d" digitsMatch="1,2"><Number sendDigits="ww1">+12025550100</Number><User>sip:a@b.example</User></Dial></Response>',
  '<Response><MultiPartyCall role="agent" enterSound="beep:2">room</MultiPartyCall><Redirect method="GET">https://a.example</Redirect></Response>',
];
const words = [
  '<',
  '>',
  '/>',
  '</',
  '"',
  "'",
  '=',
  ' ',
  '\n',
  '&',
  ';',
  '#',
  '&#x0;',
  '&__proto__;',
  '<!DOCTYPE',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<?xml',
  '?>',
  'Response',
  'Speak',
  'Dial',
  'Number',
  '__proto__',
  'constructor',
  'loop',
  'voice',
  '\0',
  '\ufeff',
  '\ud83c',
  '🎉',
  '99999999999999999999',
  '-1',
  'xmlns:a',
];

/** Any input gives a result of the right shape. */
function isSound(bytes: Uint8Array): void {
  const read = readDocument(bytes);
  if (read.ok) {
    assert.ok(read.instructions.length <= 1000 && read.warnings.length <= 50);
    return;
  }
  assert.ok(['xml', 'url', 'method'].includes(read.fault));
  // The longest list of allowed attributes, that of MultiPartyCall, has 930 characters.
  assert.ok(read.sentence.length > 0 && read.sentence.length < 1200, read.sentence);
  assert.doesNotMatch(read.sentence, /\p{Cc}/u);
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

test('random bytes never throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), isSound), { numRuns: 500 });
});

test('random words of XML never throw', () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(text, fc.boolean(), (pieces, framed) => {
      const inside = pieces.join('');
      isSound(bytesOf(framed ? `<Response>${inside}</Response>` : inside));
    }),
    { numRuns: 1500 },
  );
});

test('documents with pieces cut out, doubled and replaced never throw', () => {
  const put = fc.constantFrom(...words, '');
  const mutated = mutatedText(fc.constantFrom(...seeds), { put, cut: 20, minEdits: 1, maxEdits: 5 });
  fc.assert(
    fc.property(mutated, (text) => isSound(bytesOf(text))),
    { numRuns: 1500 },
  );
});

test('attributes of any name and value never throw', () => {
  const name = fc.oneof(
    fc.constantFrom('action', 'method', 'role', 'sipHeaders', 'finishOnKey', 'beep', 'voice', '__proto__'),
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9._-]{0,8}$/),
  );
  const escaped = (text: string) => text.replace(/[<&"]/g, (each) => `&#${each.charCodeAt(0)};`);
  const element = fc.constantFrom(
    'Speak',
    'Play',
    'Wait',
    'GetDigits',
    'GetInput',
    'Record',
    'Dial',
    'MultiPartyCall',
    'Stream',
    'Hangup',
    'DTMF',
    'Redirect',
    'PreAnswer',
  );
  fc.assert(
    fc.property(
      element,
      fc.array(fc.tuple(name, fc.string({ unit: anyCharacter, maxLength: 12 })), { maxLength: 4 }),
      fc.string(),
      (tag, attributes, body) => {
        const written = attributes.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('');
        isSound(bytesOf(`<Response><${tag}${written}>${escaped(body)}</${tag}></Response>`));
      },
    ),
    // A DEL was once shown unescaped.
    { numRuns: 1000, examples: [['GetDigits', [['action', '\x7f']], '']] },
  );
});
