import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpokenTracks } from './spoken-tracks.ts';

/** 20 ms of a voice of 120 Hz with harmonics. */
function voice(rate: number, level: number): Int16Array {
  return Int16Array.from({ length: rate / 50 }, (_, n) => {
    let wave = 0;
    for (let k = 1; k <= 20; k++) wave += Math.sin((2 * Math.PI * 120 * k * n) / rate + k * k) / (1 + k / 4);
    return Math.round(level * wave);
  });
}

const interleaved = (...tracks: readonly Int16Array[]) =>
  Int16Array.from({ length: tracks[0]!.length * tracks.length }, (_, at) => {
    return tracks[at % tracks.length]![Math.floor(at / tracks.length)]!;
  });

for (const rate of [8000, 16_000, 24_000]) {
  test(`at ${rate} Hz each track reports its own speech, and silence of the chosen length ends it`, () => {
    const reports: (readonly [string, boolean, number])[] = [];
    const spoken = new SpokenTracks({ silenceMs: 300, levelDb: -52 }, rate, (...report) =>
      reports.push(report),
    );
    const tracks = [{ name: 'inbound' }, { name: 'outbound' }];
    const quiet = new Int16Array(rate / 50);
    const hear = (frames: number, from: number, ...samples: readonly Int16Array[]) => {
      for (let n = 0; n < frames; n++) spoken.hear(tracks, interleaved(...samples), from + 20 * n);
    };
    hear(10, 0, quiet, quiet);
    hear(20, 200, voice(rate, 3000), quiet);
    hear(20, 600, quiet, voice(rate, 3000));
    assert.deepEqual(reports, [
      ['inbound', true, 240],
      ['outbound', true, 640],
      ['inbound', false, 880],
    ]);
  });
}

test('sound below the level is no speech', () => {
  const reports: unknown[] = [];
  const spoken = new SpokenTracks({ silenceMs: 500, levelDb: -30 }, 8000, (...report) =>
    reports.push(report),
  );
  for (let n = 0; n < 50; n++) spoken.hear([{ name: 'inbound' }], voice(8000, 200), 20 * n);
  assert.deepEqual(reports, []);
  for (let n = 0; n < 50; n++) spoken.hear([{ name: 'inbound' }], voice(8000, 3000), 20 * n);
  assert.equal(reports.length, 1);
});
