import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { missing } from './support/installed.ts';
import { nextHeard, openSpokenCall, type SpokenCall } from './support/spoken-call.ts';

describe('SSML of a request, as a phone hears it from the embedded engine', {
  skip: missing('sipp'),
  timeout: 180_000,
}, () => {
  let opened: SpokenCall;
  let call: string;

  before(async () => {
    opened = await openSpokenCall({});
    call = await opened.silentCall();
  });
  after(() => opened.close());

  async function spoken(text: string, fields: object = { type: 'ssml' }) {
    const { platform, phone } = opened;
    const from = phone.audio.heard.length;
    const { status, body } = await platform.api('POST', `Call/${call}/Speak/`, { text, ...fields });
    assert.equal(status, 202, JSON.stringify(body));
    return { ...(await nextHeard(phone, from)), warnings: (body.warnings ?? []) as string[] };
  }
  const plain = (text: string) => spoken(text, {});
  const alike = (one: number, other: number, share: number) => Math.abs(one / other - 1) <= share;

  it('breaks, prosody and emphasis are heard', async () => {
    const words = await plain('hello world');
    const broken = await spoken('hello <break time="800ms"/> world');
    assert.ok(broken.pauseMs >= 700 && words.pauseMs < 400, `${broken.pauseMs} and ${words.pauseMs} ms`);
    const slow = await spoken('<speak><prosody rate="50%">hello world</prosody></speak>');
    assert.ok(slow.ms > 1.4 * words.ms, `${slow.ms} and ${words.ms} ms`);
    const high = await spoken('<prosody pitch="+50%">hello world</prosody>');
    assert.ok(high.hz > 1.15 * words.hz, `${high.hz} and ${words.hz} Hz`);
    const strong = await spoken('<emphasis level="strong">hello world</emphasis>');
    assert.ok(strong.db > words.db + 2, `${strong.db} and ${words.db} dB`);
    for (const { warnings } of [words, broken, slow, high, strong]) assert.deepEqual(warnings, []);
  });

  it('say-as and sub are heard as the words that they stand for', async () => {
    for (const [markup, words] of [
      ['<say-as interpret-as="digits">4711</say-as>', '4 7 1 1'],
      ['<say-as interpret-as="date" format="mdy">11/24/2026</say-as>', 'November 24, 2026'],
      ['<sub alias="World Wide Web">WWW</sub>', 'World Wide Web'],
    ] as const) {
      const [marked, written] = [await spoken(markup), await plain(words)];
      assert.deepEqual(marked.warnings, []);
      assert.ok(alike(marked.ms, written.ms, 0.1), `${markup}: ${marked.ms} and ${written.ms} ms`);
    }
    const spelt = await spoken('<say-as interpret-as="spell-out">hello</say-as>');
    const word = await plain('hello');
    assert.ok(spelt.ms > 1.5 * word.ms, `${spelt.ms} and ${word.ms} ms`);
  });

  it('another voice and another language are heard, the language in the voice of the text', async () => {
    const text = 'hello world, how are you today';
    const [woman, man] = [await plain(text), await spoken(text, { voice: 'MAN' })];
    assert.ok(woman.hz > 1.4 * man.hz, `${woman.hz} and ${man.hz} Hz`);
    const other = await spoken(`<voice gender="male">${text}</voice>`);
    assert.ok(alike(other.hz, man.hz, 0.2), `${other.hz} and ${man.hz} Hz`);
    const german = await spoken(`<lang xml:lang="de-DE">${text}</lang>`);
    assert.ok(alike(german.hz, woman.hz, 0.2), `${german.hz} and ${woman.hz} Hz`);
    assert.ok(!alike(german.ms, woman.ms, 0.005), `${german.ms} and ${woman.ms} ms`);
  });

  it('markup that the engine does not follow is reported, and its words are heard', async () => {
    const [marked, words] = [
      await spoken('<phoneme alphabet="ipa" ph="x">pecan</phoneme>'),
      await plain('pecan'),
    ];
    assert.deepEqual(marked.warnings, [
      'text: line 1: <phoneme> inside <speak> is not followed; its words are spoken',
    ]);
    assert.ok(alike(marked.ms, words.ms, 0.1), `${marked.ms} and ${words.ms} ms`);
    const { platform } = opened;
    const refused = await platform.api('POST', `Call/${call}/Speak/`, { text: 'a <b>b</b>', type: 'ssml' });
    assert.equal(refused.status, 400);
    assert.equal((await platform.api('DELETE', `Call/${call}/`)).status, 204);
  });
});
