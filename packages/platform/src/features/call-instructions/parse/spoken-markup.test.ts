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
    ['a<break/>b', 'a b', 'a <break strength="medium"/> b'],
    ['<emphasis level="strong">a</emphasis>', 'a', '<emphasis level="strong">a</emphasis>'],
    ['<prosody rate="slow" volume="+6dB">a</prosody>', 'a', '<prosody rate="slow" volume="+6dB">a</prosody>'],
    ['<say-as interpret-as="spell-out">ab</say-as>', 'ab', '<say-as interpret-as="characters">ab</say-as>'],
    ['<p><s>a &amp; b</s></p>', 'a & b', '<p><s>a &amp; b</s></p>'],
    ['<lang xml:lang="de-DE">ja</lang>', 'ja', '<voice xml:lang="de-de">ja</voice>'],
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
  ] as const) {
    it(`${written} is spoken as words, with a warning`, () => {
      const { text, markup, warnings } = spoken(written);
      assert.deepEqual([text, markup, warnings.length], ['a', undefined, 1]);
      assert.match(warnings[0]!, warning);
    });
  }

  it('of one kind that is not followed gives one warning', () => {
    assert.equal(spoken('<w>a</w> <w>b</w>').warnings.length, 1);
  });

  it('never passes text on as markup, and refuses elements that SSML has not', () => {
    const { markup } = spoken('<p>&lt;break time="9s"/&gt;</p>');
    assert.equal(markup, '<p>&lt;break time="9s"/&gt;</p>');
    assert.match(sentenceOf('<Speak>a <b>c</b></Speak>'), /<b> is not known inside <Speak>/);
  });
});
