import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDocument } from './read-document.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const refusalOf = (document: string | Uint8Array) => {
  const read = readDocument(typeof document === 'string' ? bytesOf(document) : document);
  assert.ok(!read.ok, 'the document was accepted');
  assert.equal(read.fault, 'xml');
  assert.ok(read.sentence.length < 600, 'a sentence does not grow with the document');
  assert.doesNotMatch(read.sentence, /\p{Cc}/u, 'a sentence is one line');
  return read.sentence;
};
const isAccepted = (document: string | Uint8Array) => {
  const read = readDocument(typeof document === 'string' ? bytesOf(document) : document);
  assert.ok(read.ok, read.ok ? '' : read.sentence);
};

test('UTF-8 with or without a byte order mark and a declaration', () => {
  isAccepted('<Response><Speak>Grüße 🎉</Speak></Response>');
  isAccepted('\ufeff<Response/>');
  isAccepted('<?xml version="1.0"?><Response/>');
  isAccepted('\ufeff<?xml version="1.0" encoding="utf-8" standalone="yes"?>\r\n<Response/>\r\n');
});

test('another encoding is refused, declared or not', () => {
  assert.match(
    refusalOf('<?xml version="1.0" encoding="ISO-8859-1"?><Response/>'),
    /must be UTF-8, not "ISO-8859-1"/,
  );
  assert.match(refusalOf('<?xml version="1.1"?><Response/>'), /XML version must be 1\.0/);
  for (const mark of [
    [0xff, 0xfe],
    [0xfe, 0xff],
  ]) {
    const utf16 = new Uint8Array([
      ...mark,
      ...new Uint8Array(Uint16Array.from('<Response/>', (c) => c.charCodeAt(0)).buffer),
    ]);
    assert.match(refusalOf(utf16), /UTF-16/);
  }
  assert.match(
    refusalOf(new Uint8Array(Uint16Array.from('<Response/>', (c) => c.charCodeAt(0)).buffer)),
    /not well-formed/,
  );
  for (const broken of [
    [0x80],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0xe2, 0x82],
  ]) {
    const document = new Uint8Array([
      ...bytesOf('<Response><Speak>'),
      ...broken,
      ...bytesOf('</Speak></Response>'),
    ]);
    assert.match(refusalOf(document), /not valid UTF-8/);
  }
});

test('an empty document is refused', () => {
  for (const empty of ['', ' \r\n\t', '\ufeff', '\ufeff  '])
    assert.match(refusalOf(empty), /the document is empty/);
  assert.match(refusalOf('<!-- nothing -->'), /not well-formed|no element/);
});

test('a document type is refused, and with it every entity of its own', () => {
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join(
    '',
  );
  for (const type of [
    '<!DOCTYPE Response>',
    `<!DOCTYPE Response [<!ENTITY l0 "ha">${laughs}]>`,
    '<!DOCTYPE Response [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE Response [<!ENTITY % x SYSTEM "http://169.254.169.254/"> %x;]>',
    '<!DOCTYPE Response SYSTEM "http://a.example/a.dtd">',
  ]) {
    assert.match(
      refusalOf(`${type}<Response><Speak>&l9;</Speak></Response>`),
      /document type .* not allowed/,
    );
  }
  refusalOf('<!DOCTYPE Response [');
});

test('the five entities and character references are text; no other entity is known, nor a name of JavaScript', () => {
  isAccepted('<Response><Speak>&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;</Speak></Response>');
  for (const entity of [
    'nbsp',
    'toString',
    'constructor',
    '__proto__',
    'hasOwnProperty',
    'x',
    '#0',
    '#xFFFE',
    '#xD800',
    '#x110000',
    '#',
    '',
  ]) {
    assert.match(refusalOf(`<Response><Speak>&${entity};</Speak></Response>`), /not well-formed/, entity);
    assert.match(refusalOf(`<Response><Wait length="&${entity};"/></Response>`), /not well-formed/, entity);
  }
});

test('XML that is not well-formed is refused, with its line', () => {
  for (const document of [
    '<Response>',
    '<Response',
    '<Response></response>',
    '<Response/><Response/>',
    '<Response/>text',
    'text<Response/>',
    '<Response><Wait length=1/></Response>',
    '<Response><Wait length="1" length="2"/></Response>',
    '<Response><Wait length="1></Response>',
    '<Response><Speak>a & b</Speak></Response>',
    '<Response><Speak>a < b</Speak></Response>',
    '<Response><Speak>a ]]> b</Speak></Response>',
    '<Response><!-- -- --></Response>',
    '<Response><![CDATA[</Response>',
    '<Response>\0</Response>',
    '<Response>\u0001</Response>',
    '<Response>\uffff</Response>',
    ' <?xml version="1.0"?><Response/>',
    '{"a": 1}',
    '<>',
    '&amp;',
  ]) {
    assert.match(
      refusalOf(document),
      /^line 1: the document is not well-formed XML: /,
      JSON.stringify(document),
    );
  }
  assert.match(refusalOf('<Response>\n<Speak>a</Speak>\n<Speak>b</Response>'), /^line 3: /);
  assert.match(refusalOf(`<Response></${'a'.repeat(50_000)}>`), /not well-formed/);
});

test('a document beyond its limit of bytes, depth or elements is refused', () => {
  const filled = (bytes: number) => `<Response>${' '.repeat(bytes - 21)}</Response>`;
  isAccepted(filled(102_400));
  assert.match(refusalOf(filled(102_401)), /has 102401 bytes: at most 102400 are allowed/);
  const nested = (depth: number) =>
    `<Response><Speak>a${'<p>'.repeat(depth - 2)}${'</p>'.repeat(depth - 2)}</Speak></Response>`;
  isAccepted(nested(10));
  assert.match(refusalOf(nested(11)), /more than 10 deep/);
  assert.match(refusalOf(`${'<a>'.repeat(30_000)}`), /more than 10 deep/);
  isAccepted(`<Response>${'<Wait/>'.repeat(999)}</Response>`);
  assert.match(refusalOf(`<Response>${'<Wait/>'.repeat(1000)}</Response>`), /more than 1000 elements/);
  const small = readDocument(bytesOf('<Response><Wait/></Response>'), { maxElements: 1 });
  assert.ok(!small.ok && /more than 1 elements/.test(small.sentence));
});

/** Each is repeated up to the largest size that is read. */
const stretched = [
  '<',
  '<a',
  '<a ',
  '&',
  '&amp',
  '<!--',
  '<![CDATA[',
  '<?',
  '<!',
  ']]>',
  '<a b="',
  '\r',
  '\t<',
  '</a>',
  '<a b="c" ',
];

test('100 KB of any text are read at once', () => {
  for (const piece of stretched) {
    for (const frame of ['', '<Response>', '<Response><Speak ', '<Response><Speak>']) {
      const repeated = piece.repeat(Math.floor((102_400 - frame.length) / piece.length));
      const before = performance.now();
      const read = readDocument(bytesOf(frame + repeated));
      assert.ok(!read.ok);
      // Linear reading needs some tens of milliseconds, quadratic reading minutes.
      assert.ok(performance.now() - before < 3000, `${frame}${piece}…`);
    }
  }
});

test('twelve thousand attributes are read at once', () => {
  const attributes = Array.from({ length: 12_000 }, (_, n) => `a${n}=""`).join(' ');
  const before = performance.now();
  refusalOf(`<Response><Wait ${attributes}/></Response>`);
  assert.ok(performance.now() - before < 3000);
});
