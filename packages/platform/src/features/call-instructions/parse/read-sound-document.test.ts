import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readSoundDocument } from './read-sound-document.ts';

const read = (text: string) => readSoundDocument(new TextEncoder().encode(text));
const inside = (body: string) => read(`<Response>\n${body}\n</Response>`);

describe('a document of sounds', () => {
  it('holds Play, Speak and Wait, heard one after another', () => {
    const document = inside(
      '<Play loop="2">https://example.com/a.mp3</Play><Speak voice="MAN">please wait</Speak><Wait length="3"/>',
    );
    assert.deepEqual(document, {
      items: [
        { kind: 'file', url: 'https://example.com/a.mp3', loop: 2 },
        { kind: 'speech', text: 'please wait', language: 'en-US', voice: 'man', loop: 1 },
        { kind: 'silence', durationMs: 3_000 },
      ],
      warnings: [],
    });
  });

  it('skips other elements with a warning', () => {
    assert.deepEqual(inside('<Dial><Number>1</Number></Dial><Wait/>'), {
      items: [{ kind: 'silence', durationMs: 1_000 }],
      warnings: ['line 2: <Dial> is passed over: Play, Speak and Wait are heard here'],
    });
  });

  it('is invalid as a whole when one of the three is wrong, and when it is no document', () => {
    const sentences = [
      inside('<Play>nowhere</Play>'),
      inside('<Speak>hello</Speak><Play lop="2">https://example.com/a.mp3</Play>'),
      inside('words'),
      read('<html/>'),
      read('<Response>'),
      read(''),
      read('<!DOCTYPE x [<!ENTITY e "e">]><Response>&e;</Response>'),
    ].map((each) => ('sentence' in each ? each.sentence : 'read'));
    assert.match(sentences[0] as string, /line 2: <Play> must hold an absolute URL/);
    assert.match(sentences[1] as string, /line 2: <Play> has no attribute "lop" \(did you mean loop\?\)/);
    assert.match(sentences[2] as string, /<Response> must hold no text of its own/);
    assert.match(sentences[3] as string, /the root of the document must be <Response>, not <html>/);
    assert.ok(!sentences.includes('read'));
  });

  it('never throws for any input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ maxLength: 200 }), (bytes, text) => {
        for (const each of [readSoundDocument(bytes), inside(text)]) {
          assert.ok('sentence' in each || Array.isArray(each.items));
        }
      }),
    );
  });
});
