import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptedOf, sentenceOf } from './testing/attribute-table.ts';

/** The words and the markup of a Speak with this content, and its warnings without their lines. */
function spoken(inside: string) {
  const { instructions, warnings } = acceptedOf(`<Speak>${inside}</Speak>`);
  const [speak] = instructions;
  assert.ok(speak?.element === 'Speak');
  return { text: speak.text, markup: speak.markup, warnings: warnings.map((each) => each.slice(8)) };
}

describe('markup inside <Speak>', () => {
  for (const [written, text, markup] of [
    ['a <break time="1.5s"/> b', 'a b', 'a <break time="1500ms"/> b'],
    ['a <break time="3s"/><break time="3s"/> b', 'a b', 'a <break time="6000ms"/> b'],
    ['<s>a</s> <break time="4s"/> <break time="500ms"/>', 'a', '<s>a</s> <break time="4500ms"/>'],
    ['a<break/>b', 'a b', 'a <break strength="medium"/> b'],
    ['<emphasis level="strong">a</emphasis>', 'a', '<emphasis level="strong">a</emphasis>'],
    ['<prosody rate="slow" volume="+6dB">a</prosody>', 'a', '<prosody rate="slow" volume="+6dB">a</prosody>'],
    ['<say-as interpret-as="spell-out">ab</say-as>', 'ab', '<say-as interpret-as="characters">ab</say-as>'],
    ['<p><s>a &amp; b</s></p>', 'a & b', '<p><s>a &amp; b</s></p>'],
    ['<lang xml:lang="de-DE">ja</lang>', 'ja', '<voice xml:lang="de-de">ja</voice>'],
    ['<s xml:lang="de">ja</s>', 'ja', '<s><voice xml:lang="de">ja</voice></s>'],
    ['<speak xml:lang="de">ja</speak>', 'ja', '<voice xml:lang="de">ja</voice>'],
    ['<voice name="MAN">a</voice>', 'a', '<voice gender="male">a</voice>'],
    ['<voice gender="female" xml:lang="de">a</voice>', 'a', '<voice xml:lang="de" gender="female">a</voice>'],
  ] as const) {
    it(`${written} is handed to the engine`, () => {
      assert.deepEqual(spoken(written), { text, markup, warnings: [] });
    });
  }

  it('that only changes words leaves plain text: digits one by one, and an alias', () => {
    const { text, markup, warnings } = spoken(
      '<say-as interpret-as="digits">4711</say-as> <sub alias="Doctor">Dr.</sub>',
    );
    assert.deepEqual([text, markup, warnings], ['4 7 1 1 Doctor', undefined, []]);
  });

  for (const [written, warning] of [
    ['<phoneme alphabet="ipa" ph="x">a</phoneme>', /^<phoneme> inside <Speak> is not followed; its words/],
    ['<voice name="Amy">a</voice>', /^<voice> .* is not followed/],
    ['<w role="x">a</w>', /^<w> .* is not followed/],
    ['<amazon:effect name="x">a</amazon:effect>', /^<amazon:effect> .* is not followed/],
    ['<say-as interpret-as="date">a</say-as>', /digits, telephone, characters and spell-out alone/],
    ['a<break time="11s"/>', /not from 0 to 10s, and is left out/],
    ['<prosody rate="99999%">a</prosody>', /<prosody> inside <Speak> has an unknown rate/],
    ['<lang xml:lang="&quot;/>">a</lang>', /has no language tag/],
    ['<voice gender="other">a</voice>', /<voice> inside <Speak> has an unknown gender/],
    ['<voice>a</voice>', /<voice> inside <Speak> has neither name nor gender nor xml:lang/],
  ] as const) {
    it(`${written} is spoken as words, with a warning`, () => {
      const { text, markup, warnings } = spoken(written);
      assert.deepEqual([text, markup, warnings.length], ['a', undefined, 1]);
      assert.match(warnings[0]!, warning);
    });
  }

  for (const [format, text, language, words] of [
    ['', '2026-11-24', 'en-US', 'November 24, 2026'],
    ['', '20261124', 'en-US', 'November 24, 2026'],
    ['format="mdy"', '11/24/2026', 'en-GB', '24 November 2026'],
    ['format="dmy"', '24.11.2026', 'de-DE', '24. November 2026'],
    ['format="dm"', '29. 2', 'fr-FR', '29 février'],
    ['format="my"', '11/2026', 'es-ES', 'noviembre de 2026'],
  ] as const) {
    it(`a date ${format} ${text} is spoken as ${words} in ${language}`, () => {
      const saidAs = `<say-as interpret-as="date" ${format}>${text}</say-as>`;
      const { instructions, warnings } = acceptedOf(`<Speak language="${language}">${saidAs}</Speak>`);
      const [speak] = instructions;
      assert.ok(speak?.element === 'Speak');
      assert.deepEqual([speak.text, warnings], [words, []]);
    });
  }

  it('a date inside another language is spoken in that language', () => {
    const date = '<say-as interpret-as="date">2026-11-24</say-as>';
    assert.equal(spoken(`on <lang xml:lang="de">${date}</lang>`).text, 'on 24. November 2026');
  });

  for (const [format, text] of [
    ['mdy', '24/11/2026'],
    ['ymd', '2026-02-29'],
    ['dmy', '24.11.26'],
    ['md', '1/2/2026'],
    ['nonsense', '2026-11-24'],
  ] as const) {
    it(`${text} in the format ${format} is no date: it is spoken as written, with a warning`, () => {
      const read = spoken(`<say-as interpret-as="date" format="${format}">${text}</say-as>`);
      assert.deepEqual([read.text, read.warnings.length], [text, 1]);
      assert.match(read.warnings[0]!, /and for a date that is written in its format/);
    });
  }

  it('an attribute that is not followed, and a voice of the hosted service, leave a warning beside what is followed', () => {
    const { markup, warnings } = spoken(
      '<prosody rate="slow" range="high">a</prosody><voice name="Polly.Amy">b</voice>',
    );
    assert.equal(markup, '<prosody rate="slow">a</prosody><voice gender="female">b</voice>');
    assert.deepEqual(warnings, [
      'the attribute range of <prosody> inside <Speak> is not followed',
      '<voice> inside <Speak> names a voice that is not offered here: a woman speaks instead',
    ]);
  });

  it('pauses in a row that are longer than 10 s together are 10 s, with a warning', () => {
    const { markup, warnings } = spoken(
      `a${'<break time="6s"/>'.repeat(2)}b${'<break time="9s"/>'.repeat(2)}`,
    );
    assert.equal(markup, 'a <break time="10000ms"/> b <break time="10000ms"/>');
    assert.deepEqual(warnings, [
      '<break> inside <Speak> makes with those beside it a pause of more than 10s, and it is 10s',
    ]);
  });

  it('of one kind that is not followed gives one warning', () => {
    assert.equal(spoken('<w>a</w> <w>b</w>').warnings.length, 1);
  });

  it('never passes text on as markup, and refuses elements that SSML has not', () => {
    const { markup } = spoken('<p>&lt;break time="9s"/&gt;</p>');
    assert.equal(markup, '<p>&lt;break time="9s"/&gt;</p>');
    assert.match(sentenceOf('<Speak>a <b>c</b></Speak>'), /<b> is not known inside <Speak>/);
  });
});
