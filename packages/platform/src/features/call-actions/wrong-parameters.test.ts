import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answeredCall, worldOfSuite } from '@jackfield/testkit';

const file = 'https://a.example/a.mp3';
const right = {
  'Play/': { urls: file },
  'Speak/': { text: 'Hello' },
  'Record/': {},
  'DTMF/': { digits: '1' },
} as const;

const wrong: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  'Play/': {
    urls: [
      '',
      1,
      null,
      [],
      {},
      'x',
      'ftp://a',
      `${file}, x`,
      `${file} ,`,
      Array(21).fill(file).join(),
      [''],
      [1],
      `https://a/${'a'.repeat(2048)}`,
      'http://[::1',
    ],
    length: [0, 86_401, 'x', 1.5, true],
    legs: ['', 'cleg', 1],
    loop: ['', 'yes', 1],
    mix: ['', 'yes', 1],
  },
  'Speak/': {
    text: ['', 1, null, 'a\0', '\ud800', 'a'.repeat(3001), ' '],
    voice: ['', 'child', 'Polly.', 1],
    language: ['', 'en US', 1],
    type: ['', 'html', 1],
    legs: ['cleg'],
    loop: ['yes'],
    mix: ['yes'],
  },
  'Record/': {
    time_limit: [0, 86_401, '', 'x'],
    file_format: ['', 'ogg', 1],
    record_channel_type: ['', 'dual'],
    callback_url: ['', 'x', 'ftp://a', 1],
    callback_method: ['', 'PUT'],
    // The world of this test has no speech engine.
    transcription_type: ['auto', ''],
    transcription_url: ['https://a.example', 'x'],
    transcription_method: ['PUT'],
    transcription_language: ['', 'a b'],
    transcription_redact: ['', 'all'],
  },
  'DTMF/': { digits: ['', 'a', '1-2', -1, 1.5, true, null, '1'.repeat(101)], leg: ['', 'cleg'] },
};

describe('Parameters of actions on a live call', () => {
  const suite = worldOfSuite({ phones: 'none' });

  for (const [path, parameters] of Object.entries(wrong)) {
    test(`${path} refuses wrong values with a sentence that names the parameter, and does nothing`, async () => {
      const world = suite();
      const leg = await answeredCall(world);
      const { orders } = world.node.media;
      const before = orders.commands.length;
      for (const [parameter, values] of Object.entries(parameters)) {
        for (const value of values) {
          const { status, body } = await world.api('POST', `Call/${leg}/${path}`, {
            ...right[path as keyof typeof right],
            [parameter]: value,
          });
          assert.equal(status, 400, `${parameter}: ${JSON.stringify(value)?.slice(0, 80)}`);
          assert.match(body.error, new RegExp(`^${parameter}(/\\d+)? `), body.error);
        }
      }
      assert.equal(orders.commands.length, before);
      for (const required of Object.keys(right[path as keyof typeof right] as object)) {
        const { status, body } = await world.api('POST', `Call/${leg}/${path}`, {});
        assert.deepEqual([status, body.error], [400, `${required} parameter is missing`]);
      }
    });
  }
});
