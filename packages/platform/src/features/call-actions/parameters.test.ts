import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPlay, readRecording, readSpeech } from './parameters.ts';

const file = 'https://a.example/a.mp3';

test('Play mixes its files into the call and plays each once, unless it is asked for more', () => {
  assert.deepEqual(readPlay({ urls: `${file}?a=1,2, HTTPS://b.example/b.wav` }), {
    ok: true,
    value: {
      items: [
        { kind: 'file', url: `${file}?a=1,2` },
        { kind: 'file', url: 'HTTPS://b.example/b.wav' },
      ],
      loop: 1,
      alone: false,
    },
  });
});

test('Play reads length, loop, mix and a list of URLs in the forms of clients', () => {
  const items = [{ kind: 'file', url: file }];
  assert.deepEqual(readPlay({ urls: [file], length: '30', loop: 'true', mix: 'False' }), {
    ok: true,
    value: { items, lengthMs: 30_000, loop: 0, alone: true },
  });
});

const speech: readonly (readonly [object, object])[] = [
  [{ text: 'Hello\nyou' }, { text: 'Hello\nyou', language: 'en-US', voice: 'woman' }],
  [
    { text: '1 < 2', voice: 'MAN', language: 'de-DE', type: 'text' },
    { text: '1 < 2', language: 'de-DE', voice: 'man' },
  ],
  [
    { text: '<speak>a &amp; <p>b</p></speak>', type: 'SSML', voice: 'man' },
    { text: 'a & b', markup: 'a &amp; <p>b</p>', language: 'en-US', voice: 'man' },
  ],
  [
    { text: 'on <say-as interpret-as="date">2026-11-24</say-as>', type: 'ssml', language: 'de-DE' },
    { text: 'on 24. November 2026', language: 'de-DE', voice: 'woman' },
  ],
];
for (const [body, item] of speech) {
  test(`Speak reads ${JSON.stringify(body)}`, () => {
    const read = readSpeech(body as Parameters<typeof readSpeech>[0]);
    assert.deepEqual(read, {
      ok: true,
      value: { items: [{ kind: 'speech', ...item }], loop: 1, alone: false },
    });
  });
}

test('Speak reads a voice of the hosted service and markup that is not followed with a warning for each', () => {
  const text = '<speak>a\n<phoneme alphabet="ipa" ph="b">b</phoneme></speak>';
  const read = readSpeech({ text, type: 'ssml', voice: 'Polly.Joey-Neural' });
  assert.deepEqual(read, {
    ok: true,
    value: {
      items: [{ kind: 'speech', text: 'a b', language: 'en-US', voice: 'man' }],
      loop: 1,
      alone: false,
    },
    warnings: [
      'the voice "Polly.Joey-Neural" is not offered here: a man speaks instead',
      'text: line 2: <phoneme> inside <speak> is not followed; its words are spoken',
    ],
  });
});

const refusedMarkup: readonly (readonly [string, RegExp])[] = [
  ['<speak> </speak>', /<speak> must hold the text that is spoken, and it is empty$/],
  ['a <b>b</b>', /line 1: <b> is not known inside <speak>.*; allowed are <break>/],
  ['Tom & Jerry', /line 1: the document is not well-formed XML/],
  ['a</speak><speak>b', /line 1: the document is not well-formed XML/],
  ['<!DOCTYPE speak><speak>a</speak>', /not well-formed XML|document type/],
];
for (const [text, sentence] of refusedMarkup) {
  test(`Speak refuses the markup ${text}`, () => {
    const read = readSpeech({ text, type: 'ssml' });
    assert.ok(!read.ok);
    assert.deepEqual([read.problem.code, read.problem.parameter], ['invalid-parameter', 'text']);
    assert.match(read.problem.sentence, /^text must be SSML that can be spoken: /);
    assert.match(read.problem.sentence, sentence);
  });
}

test('Record reads format, limit, channels, callback and transcript, each with a default', () => {
  assert.deepEqual(readRecording({}, false), {
    ok: true,
    value: { format: 'mp3', channels: 'stereo', maxSeconds: 60, callback: null, transcript: null },
  });
  const named = {
    time_limit: '90',
    file_format: 'WAV',
    record_channel_type: 'mono',
    callback_url: 'https://a.example/done',
    callback_method: 'get',
    transcription_url: 'https://a.example/text',
    transcription_language: 'de_DE',
    transcription_redact: 'Digits',
  } as unknown as Parameters<typeof readRecording>[0];
  assert.deepEqual(readRecording(named, true), {
    ok: true,
    value: {
      format: 'wav',
      channels: 'mono',
      maxSeconds: 90,
      callback: { url: 'https://a.example/done', method: 'GET' },
      transcript: {
        language: 'de-DE',
        redactsDigits: true,
        callback: { url: 'https://a.example/text', method: 'POST' },
      },
    },
  });
});

test('Record refuses a transcript where the operator has no speech engine', () => {
  const refused = readRecording({ transcription_type: 'auto' }, false);
  assert.ok(!refused.ok);
  assert.match(refused.problem.sentence, /^transcription_type must be left out: .*JACKFIELD_SPEECH_ENGINE/);
});
