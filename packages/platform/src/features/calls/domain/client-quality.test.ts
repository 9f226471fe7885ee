import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mostWarnings, readReport, withReport } from './client-quality.ts';

const sample = { packets_received: 250, packets_lost: 1, packets_sent: 250, jitter_ms: 2 };
const text = (value: unknown) => JSON.stringify(value);

it('A report is read with its known fields alone', () => {
  const given = {
    samples: [{ ...sample, mos: 4, codec: 'opus', secret: 'x' }],
    warnings: ['low-mos'],
    more: 1,
  };
  assert.deepEqual(readReport(text(given)), {
    samples: [{ ...sample, mos: 4, codec: 'opus' }],
    warnings: ['low-mos'],
  });
  assert.deepEqual(readReport(text({ samples: [sample] }))?.warnings, []);
});

it('A report that is none, or beyond a limit, is dropped', () => {
  for (const wrong of [
    '',
    '{',
    'null',
    '[]',
    '7',
    text({ samples: {} }),
    text({ samples: [] }),
    text({ samples: Array(61).fill(sample) }),
    text({ samples: [null] }),
    text({ samples: [{ ...sample, packets_lost: 1e9 }] }),
    text({ samples: [{ ...sample, jitter_ms: '3' }] }),
    text({ samples: [{ ...sample, jitter_ms: -1 }] }),
    text({ samples: [{ ...sample, round_trip_ms: 1e6 }] }),
    text({ samples: [{ ...sample, mos: 0 }] }),
    text({ samples: [{ ...sample, codec: '<b>' }] }),
    text({ samples: [{ ...sample, transport: 'x'.repeat(33) }] }),
    text({ samples: [sample], warnings: 'all' }),
    text({ samples: [sample], warnings: [1] }),
    text({ samples: [sample], warnings: Array(17).fill('a') }),
  ])
    assert.equal(readReport(wrong), undefined, wrong.slice(0, 80));
});

it('However many reports come, the quality of a call keeps its size', () => {
  let quality = withReport(null, { samples: [sample], warnings: [] });
  for (let n = 0; n < 100; n++)
    quality = withReport(quality, { samples: Array(60).fill(sample), warnings: [`w${n}`] });
  assert.equal(quality.samples, 6001);
  assert.equal(quality.warnings.length, mostWarnings);
  assert.ok(text(quality).length < 1000);
});
