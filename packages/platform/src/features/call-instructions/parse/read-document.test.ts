import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instruction } from '../domain/instruction.ts';
import { readDocument } from './read-document.ts';
import { acceptedOf, badUrls, read, sentenceOf } from './testing/attribute-table.ts';

const first = (inside: string) => acceptedOf(inside).instructions[0] as Instruction;
const speakText = (inside: string) => {
  const speak = first(inside);
  assert.ok(speak.element === 'Speak');
  return speak.text;
};

test('elements are read in their order; an empty document has none', () => {
  assert.deepEqual(acceptedOf(''), { ok: true, instructions: [], warnings: [] });
  const { instructions } = acceptedOf(`
    <!-- a comment -->
    <Wait/> <Hangup/> <?note nothing?> <Speak>Hi</Speak>
  `);
  assert.deepEqual(
    instructions.map(({ element }) => element),
    ['Wait', 'Hangup', 'Speak'],
  );
});

test('the root is <Response> in exactly this case, without attributes', () => {
  for (const root of ['response', 'RESPONSE', 'Document', 'html', 'a:Response']) {
    const document = readDocument(new TextEncoder().encode(`\n<${root}/>`));
    assert.ok(!document.ok);
    assert.equal(document.sentence, `line 2: the root of the document must be <Response>, not <${root}>`);
  }
  const document = readDocument(new TextEncoder().encode('<Response version="1"/>'));
  assert.ok(!document.ok);
  assert.equal(document.sentence, 'line 1: <Response> has no attribute "version": it has none');
});

test('an unknown element is refused with its line, the nearest spelling and what is allowed', () => {
  for (const [written, meant] of [
    ['<speak>a</speak>', 'Speak'],
    ['<SPEAK>a</SPEAK>', 'Speak'],
    ['<Paly>a</Paly>', 'Play'],
    ['<GetDigit/>', 'GetDigits'],
    ['<Dtmf>1</Dtmf>', 'DTMF'],
    ['<MultipartyCall>a</MultipartyCall>', 'MultiPartyCall'],
  ] as const) {
    const sentence = sentenceOf(`<Wait/>\n\n${written}`);
    assert.match(sentence, /^line 3: </);
    assert.match(
      sentence,
      new RegExp(`\\(did you mean <${meant}>\\?\\); allowed are <Dial>, <DTMF>.* and <Wait>$`),
    );
  }
  assert.doesNotMatch(sentenceOf('<Gather/>'), /did you mean/);
  assert.doesNotMatch(sentenceOf('<constructor/>'), /did you mean/);
});

test('an attribute is named as it is written; another case is refused with the right one', () => {
  assert.match(
    sentenceOf('<Speak Voice="MAN">a</Speak>'),
    /has no attribute "Voice" \(did you mean voice\?\)/,
  );
  assert.match(
    sentenceOf('<Wait\n\nx="1"/>'),
    /^line 3: <Wait> has no attribute "x": allowed are beep, length/,
  );
  assert.match(sentenceOf('<Wait __proto__="1" constructor="2"/>'), /"__proto__"/);
});

test('<Conference> and <Message> are refused with what to use instead', () => {
  assert.match(sentenceOf('<Conference>a</Conference>'), /use <MultiPartyCall role="Customer">/);
  assert.match(
    sentenceOf('<Message src="1" dst="2">a</Message>'),
    /from the program that your action URL reaches/,
  );
});

test('the first fault is reported; faults of an action, a redirect and their methods are kept apart', () => {
  for (const url of badUrls) sentenceOf(`<Redirect>${url.replaceAll('&', '&amp;')}</Redirect>`, 'url');
  sentenceOf('<Redirect method="PUT">x</Redirect>', 'method');
  sentenceOf('<Play>x</Play><Redirect>x</Redirect>', 'xml');
  sentenceOf('<Redirect>x</Redirect><Play>x</Play>', 'url');
});

/** Parent → allowed children; all others are refused. */
const nesting: Readonly<Record<string, readonly string[]>> = {
  PreAnswer: ['Speak', 'Play', 'Wait'],
  GetDigits: ['Speak', 'Play'],
  GetInput: ['Speak', 'Play'],
  Dial: ['Number', 'User'],
  Speak: [],
  Play: [],
  Wait: [],
  Record: [],
  Redirect: [],
  Hangup: [],
  DTMF: [],
  MultiPartyCall: [],
  Stream: [],
  Number: [],
  User: [],
};
const written: Readonly<Record<string, readonly [string, string]>> = {
  PreAnswer: ['<PreAnswer>', '</PreAnswer>'],
  GetDigits: ['<GetDigits>', '</GetDigits>'],
  GetInput: ['<GetInput action="https://a.example">', '</GetInput>'],
  Dial: ['<Dial>', '<Number>+12025550100</Number></Dial>'],
  Speak: ['<Speak>a', '</Speak>'],
  Play: ['<Play>https://a.example', '</Play>'],
  Wait: ['<Wait>', '</Wait>'],
  Record: ['<Record>', '</Record>'],
  Redirect: ['<Redirect>https://a.example', '</Redirect>'],
  Hangup: ['<Hangup>', '</Hangup>'],
  DTMF: ['<DTMF>1', '</DTMF>'],
  MultiPartyCall: ['<MultiPartyCall role="agent">a', '</MultiPartyCall>'],
  Stream: ['<Stream>wss://a.example', '</Stream>'],
  Number: ['<Number>+12025550100', '</Number>'],
  User: ['<User>sip:a@b.example', '</User>'],
};

test('an element accepts its own children and refuses all others', () => {
  for (const [parent, allowed] of Object.entries(nesting)) {
    const [open = '', close = ''] = written[parent] ?? [];
    const inDial = parent === 'Number' || parent === 'User';
    for (const [child, tags] of Object.entries(written)) {
      const inside = `${open}${tags.join('')}${close}`;
      const document = read(inDial ? `<Dial>${inside}</Dial>` : inside);
      assert.equal(document.ok, allowed.includes(child), `<${child}> in <${parent}>`);
      if (!document.ok) assert.match(document.sentence, /^line 1: <.*(allowed are|no elements inside)/);
    }
  }
  assert.match(sentenceOf('<Number>+12025550100</Number>'), /<Number> stands in <Dial> alone/);
});

test('text is accepted only inside elements that hold text', () => {
  for (const parent of ['PreAnswer', 'GetDigits', 'Dial', 'Wait', 'Record', 'Hangup']) {
    assert.match(sentenceOf(`<${parent}>+12025550100</${parent}>`), /"\+12025550100" was found/);
  }
  assert.match(sentenceOf('hello'), /<Response> must hold no text of its own, and "hello" was found/);
  for (const [parent, body] of [
    ['Speak', ' '],
    ['Play', ''],
    ['Play', 'a.mp3'],
    ['Redirect', ''],
    ['DTMF', ''],
    ['DTMF', '1A'],
    ['Stream', 'https://a.example'],
    ['Stream', ''],
    ['MultiPartyCall role="agent"', ''],
    ['MultiPartyCall role="agent"', 'a/b'],
    ['MultiPartyCall role="agent"', 'a'.repeat(101)],
  ]) {
    const document = read(`<${parent}>${body}</${parent?.split(' ')[0]}>`);
    assert.ok(!document.ok && / must hold /.test(document.sentence), `${parent} ${body}`);
  }
  assert.match(sentenceOf(`<Speak>${'a'.repeat(3001)}</Speak>`), /at most 3000 characters, not 3001/);
});

test('the words of markup inside <Speak> are spoken, with a warning where it is not followed', () => {
  assert.equal(
    speakText(
      `<Speak>Good <emphasis>morn</emphasis>ing,\n <break time="2s"/><p>it is</p><s><sub alias="ten">10</sub></s> <amazon:effect name="x">o&apos;clock</amazon:effect><![CDATA[ & <more>]]></Speak>`,
    ),
    "Good morning, it is ten o'clock & <more>",
  );
  const { warnings } = acceptedOf('<Speak>a <w role="x">b</w></Speak>');
  assert.deepEqual(warnings, ['line 1: <w> inside <Speak> is not followed; its words are spoken']);
  assert.match(sentenceOf('<Speak>a <b>c</b></Speak>'), /<b> is not known inside <Speak>/);
});

test('voices of the hosted service become a woman or a man, with a warning', () => {
  for (const [voice, expected] of [
    ['Polly.Amy', 'woman'],
    ['polly.matthew', 'man'],
    ['Polly.Joey-Neural', 'man'],
    ['Polly.Nobody', 'woman'],
  ] as const) {
    const { instructions, warnings } = acceptedOf(`<Speak voice="${voice}">a</Speak>`);
    assert.equal((instructions[0] as { voice?: string }).voice, expected);
    assert.deepEqual(warnings, [
      `line 1: the voice "${voice}" is not offered here: a ${expected} speaks instead`,
    ]);
  }
});

test('<GetInput> listens for keys; speech beside them gives a warning, speech alone is refused', () => {
  for (const type of ['dtmf speech', 'Speech DTMF']) {
    const { warnings } = acceptedOf(`<GetInput action="https://a.example" inputType="${type}"/>`);
    assert.match(warnings.join(), /speech is not recognised here/);
  }
  assert.match(
    sentenceOf('<GetInput action="https://a.example" inputType="speech"/>'),
    /must be dtmf or "dtmf speech", because speech is not recognised here/,
  );
  assert.match(sentenceOf('<GetInput/>'), /must have the attribute action/);
  sentenceOf('<GetInput action="x"/>', 'url');
});

test('<GetInput> listens for speech where an engine recognises it', () => {
  const inputOf = (attributes: string) => {
    const document = `<Response><GetInput action="https://a.example" ${attributes}/></Response>`;
    const read = readDocument(new TextEncoder().encode(document), {}, true);
    assert.ok(read.ok && read.instructions[0]?.element === 'GetInput');
    assert.deepEqual(read.warnings, []);
    return read.instructions[0];
  };
  assert.equal(inputOf('inputType="dtmf" language="fr-FR"').speech, undefined);
  assert.deepEqual(inputOf('inputType="speech"').speech, {
    withKeys: false,
    language: 'en-US',
    model: null,
    hints: [],
    profanityFilter: false,
    endTimeoutMs: null,
    interimCallback: null,
  });
  const full = `inputType="dtmf speech" language="pt_BR" speechModel="phone_call" hints=" new york,, no " profanityFilter="true"
    speechEndTimeout="3" interimSpeechResultsCallback="https://b.example" interimSpeechResultsCallbackMethod="GET"`;
  assert.deepEqual(inputOf(full).speech, {
    withKeys: true,
    language: 'pt-BR',
    model: 'phone_call',
    hints: ['new york', 'no'],
    profanityFilter: true,
    endTimeoutMs: 3_000,
    interimCallback: { url: 'https://b.example', method: 'GET' },
  });
});

test('<Dial> needs 1 to 20 destinations; numbers are read as people write them', () => {
  const number = '<Number>+1 (202) 555-01.00</Number>';
  const dial = first(`<Dial>${number.repeat(20)}</Dial>`);
  assert.ok(dial.element === 'Dial');
  assert.deepEqual(dial.destinations[19], {
    kind: 'number',
    to: '+12025550100',
    callerId: null,
    sendDigits: '',
    sendOnPreanswer: false,
    sipHeaders: {},
  });
  assert.match(sentenceOf('<Dial/>'), /at least one <Number> or <User>/);
  assert.match(sentenceOf(`<Dial>${number.repeat(21)}</Dial>`), /at most 20 destinations, not 21/);
  for (const wrong of ['', 'alice', '+', '0049', `1${'2'.repeat(15)}`, 'sip:a@b']) {
    assert.match(sentenceOf(`<Dial><Number>${wrong}</Number></Dial>`), /E\.164/);
  }
  for (const wrong of ['', 'alice', '+12025550100', 'sip:alice', 'sip:a b@c', 'http://a@b']) {
    assert.match(sentenceOf(`<Dial><User>${wrong}</User></Dial>`), /SIP URI/);
  }
  const user = first('<Dial><User> sip:alice@sip.example.com:5080 </User></Dial>');
  assert.ok(user.element === 'Dial');
  assert.equal(user.destinations[0]?.to, 'sip:alice@sip.example.com:5080');
});

test('<MultiPartyCall> has one of the known roles', () => {
  for (const role of ['Agent', 'SUPERVISOR', 'customer']) {
    const call = first(`<MultiPartyCall role="${role}">a b</MultiPartyCall>`);
    assert.ok(call.element === 'MultiPartyCall');
    assert.equal(call.role, role.toLowerCase());
    assert.equal(call.name, 'a b');
  }
  assert.match(sentenceOf('<MultiPartyCall>a</MultiPartyCall>'), /must have the attribute role/);
  assert.match(
    sentenceOf('<MultiPartyCall role="boss">a</MultiPartyCall>'),
    /agent, supervisor, customer or ai-agent/,
  );
});

test('an ai-agent has a WebSocket, with the format of its frames in one attribute or two', () => {
  const agentOf = (attributes: string) => {
    const call = first(`<MultiPartyCall role="AI-Agent" ${attributes}>a</MultiPartyCall>`);
    assert.ok(call.element === 'MultiPartyCall');
    return call.agent;
  };
  const url = 'aiAgentStreamServiceUrl="wss://b.example/x"';
  assert.deepEqual(agentOf(url), {
    serviceUrl: 'wss://b.example/x',
    contentType: 'audio/x-l16;rate=8000',
    extraHeaders: '',
    statusCallback: null,
  });
  const format = 'aiAgentStreamContentType="audio/x-l16" aiAgentStreamSamplingRate="24000"';
  assert.equal(agentOf(`${url} ${format}`)?.contentType, 'audio/x-l16;rate=24000');
  assert.equal(
    agentOf(`${url} aiAgentStreamContentType="audio/x-mulaw"`)?.contentType,
    'audio/x-mulaw;rate=8000',
  );
  const refused = (attributes: string) =>
    sentenceOf(`<MultiPartyCall role="ai-agent" ${attributes}>a</MultiPartyCall>`);
  assert.match(refused(''), /aiAgentStreamServiceUrl .* must be a URL that starts with wss/);
  assert.match(refused(`${url} aiAgentStreamSamplingRate="11025"`), /aiAgentStreamSamplingRate/);
  assert.match(refused(`${url} aiAgentStreamExtraHeaders="hello"`), /must be pairs such as name=value/);
  assert.match(refused(`${url} onExitActionUrl="https://a.example"`), /the document goes on at once/);
  assert.match(
    sentenceOf(`<MultiPartyCall role="Agent" ${url}>a</MultiPartyCall>`),
    /it is for the role ai-agent/,
  );
});

test('a sound of entering or leaving may come from a URL, requested with GET or its own method', () => {
  const { instructions, warnings } = acceptedOf(
    '<MultiPartyCall role="agent" enterSound="https://a.example" exitSound="https://b.example" exitSoundMethod="POST">a</MultiPartyCall>',
  );
  const [call] = instructions;
  assert.ok(call?.element === 'MultiPartyCall');
  assert.deepEqual(call.enterSound, { url: 'https://a.example', method: 'GET' });
  assert.deepEqual(call.exitSound, { url: 'https://b.example', method: 'POST' });
  assert.deepEqual(warnings, []);
});

test('a bidirectional stream hears the inbound track; noise is cancelled by default at 85', () => {
  assert.match(
    sentenceOf('<Stream bidirectional="true" audioTrack="both">wss://a.example</Stream>'),
    /must be inbound where bidirectional is true/,
  );
  const stream = first('<Stream noiseCancellation="true">ws://a.example</Stream>');
  assert.ok(stream.element === 'Stream');
  assert.equal(stream.noiseCancellationLevel, 85);
});

test('dialect twilio refuses another format than µ-law at 8,000 Hz, and binary frames', () => {
  const attributes = ['contentType="audio/x-l16;rate=8000"', 'binaryFrames="true"'];
  const sentences = attributes.map((attribute) =>
    sentenceOf(`<Stream dialect="twilio" ${attribute}>wss://a.example</Stream>`),
  );
  assert.match(
    sentences[0]!,
    /contentType of <Stream> must be audio\/x-mulaw;rate=8000 where dialect is twilio/,
  );
  assert.match(sentences[1]!, /binaryFrames of <Stream> must be false where dialect is twilio/);
});

test('parameters of a beep that are not followed give a warning', () => {
  const { instructions, warnings } = acceptedOf('<Wait beep="minPause=5"/>');
  assert.equal((instructions[0] as { beep?: boolean }).beep, true);
  assert.match(warnings.join(), /the usual beep is heard/);
});

test('warnings are bounded in number', () => {
  assert.equal(acceptedOf('<Speak voice="Polly.Amy">a</Speak>\n'.repeat(200)).warnings.length, 50);
});
