import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from './index.ts';

test('counters, gauges and histograms appear in the exposition format', async () => {
  const metrics = createMetrics({ process: false });
  let calls = 2;
  metrics.count('jackfield_sip_requests_total', { method: 'INVITE' });
  metrics.count('jackfield_sip_requests_total', { method: 'INVITE' }, 4);
  metrics.gauge('jackfield_calls', 'Calls that are alive.', () => calls);
  metrics.observe('jackfield_http_seconds', 0.003, { route: '/v1' });
  calls = 3;
  const text = await metrics.text();
  assert.match(text, /^jackfield_sip_requests_total\{method="INVITE"\} 5$/m);
  assert.match(text, /^# HELP jackfield_calls Calls that are alive\.$/m);
  assert.match(text, /^jackfield_calls 3$/m);
  assert.match(text, /^jackfield_http_seconds_bucket\{le="0\.0025",route="\/v1"\} 0$/m);
  assert.match(text, /^jackfield_http_seconds_bucket\{le="0\.005",route="\/v1"\} 1$/m);
});

test('the number of label values is limited: further values are counted together and as a misuse', async () => {
  const metrics = createMetrics({ process: false, maxSeries: 3 });
  for (let number = 0; number < 10; number += 1) metrics.count('a_total', { from: `+${number}` });
  metrics.count('a_total', { from: '+0' });
  const text = await metrics.text();
  assert.equal(text.match(/^a_total\{/gm)?.length, 4);
  assert.match(text, /^a_total\{from="\+0"\} 2$/m);
  assert.match(text, /^a_total\{from="other"\} 7$/m);
  assert.match(text, /^jackfield_metrics_misused_total\{metric="a_total"\} 7$/m);
});

test('beyond the limit the label with most values loses them, and the others keep theirs', async () => {
  const metrics = createMetrics({ process: false, maxSeries: 6 });
  const request = (method: string, path: string, status: string) =>
    metrics.count('requests_total', { method, path, status });
  for (const path of ['/a', '/b', '/c']) for (const method of ['GET', 'POST']) request(method, path, '200');
  for (const path of ['/a', '/d', '/e']) request('GET', path, '500');
  request('POST', '/a', '200');
  const text = await metrics.text();
  assert.match(text, /^requests_total\{method="GET",path="other",status="500"\} 3$/m);
  assert.match(text, /^requests_total\{method="POST",path="\/a",status="200"\} 2$/m);
  assert.match(text, /^jackfield_metrics_misused_total\{metric="requests_total"\} 3$/m);
});

test('the series beyond the limit are limited too', async () => {
  const metrics = createMetrics({ process: false, maxSeries: 3 });
  for (let number = 0; number < 50; number += 1) {
    metrics.count('a_total', { from: `${number}`, to: `${number}` });
  }
  const text = await metrics.text();
  assert.ok(text.match(/^a_total\{/gm)!.length <= 7, text);
  assert.match(text, /^a_total\{from="other",to="other"\} 4[4-7]$/m);
});

test('other label names than the first do not make the caller fail', async () => {
  const metrics = createMetrics({ process: false });
  metrics.count('a_total', { side: 'left' });
  metrics.count('a_total', { hand: 'left' });
  metrics.count('a_total');
  assert.match(await metrics.text(), /^a_total\{side="other"\} 2$/m);
});

test('a gauge that throws leaves the others readable', async () => {
  const metrics = createMetrics({ process: false });
  metrics.gauge('broken', 'Broken.', () => {
    throw new Error('gone');
  });
  metrics.count('whole_total');
  const text = await metrics.text();
  assert.match(text, /^broken NaN$/im);
  assert.match(text, /^whole_total 1$/m);
});

test('gauges and totals with a source are read at each scrape', async () => {
  const metrics = createMetrics({ process: false });
  let lost: number | Error = 2;
  metrics.gauge('jackfield_media_legs', 'Media legs.', () => Promise.resolve(7));
  metrics.total('jackfield_lost_total', 'Lost.', async () => {
    if (lost instanceof Error) throw lost;
    return lost;
  });
  assert.match(await metrics.text(), /^jackfield_media_legs 7$/m);
  lost = 5;
  assert.match(await metrics.text(), /^# TYPE jackfield_lost_total counter\njackfield_lost_total 5$/m);
  lost = new Error('gone');
  assert.match(await metrics.text(), /^jackfield_lost_total 5$/m, 'the last answer stays');
});

test('the process reports its event-loop lag and memory', async () => {
  const text = await createMetrics().text();
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
  assert.match(text, /^process_resident_memory_bytes \d+$/m);
});

test('described metrics are in the first scrape, with their sentence, labels and buckets', async () => {
  const metrics = createMetrics({
    process: false,
    described: {
      jackfield_calls_ended_total: { sentence: 'Calls that ended.', labels: ['cause'] },
      jackfield_call_setup_seconds: { sentence: 'Until the answer.', buckets: [1, 30] },
    },
  });
  assert.match(await metrics.text(), /^# HELP jackfield_calls_ended_total Calls that ended\.$/m);
  metrics.count('jackfield_calls_ended_total', { cause: 'Busy' });
  metrics.observe('jackfield_call_setup_seconds', 4);
  const text = await metrics.text();
  assert.match(text, /^jackfield_calls_ended_total\{cause="Busy"\} 1$/m);
  assert.match(text, /^jackfield_call_setup_seconds_bucket\{le="1"\} 0$/m);
  assert.match(text, /^jackfield_call_setup_seconds_bucket\{le="30"\} 1$/m);
});

test('a gauge by label has one series for each current value', async () => {
  const metrics = createMetrics({ process: false });
  let carriers: [string, number][] = [
    ['alpha', 1],
    ['beta-2', 0],
  ];
  metrics.gauge('jackfield_carrier_reachable', 'Reachable.', { label: 'carrier', values: () => carriers });
  const text = await metrics.text();
  assert.match(text, /^jackfield_carrier_reachable\{carrier="alpha"\} 1$/m);
  assert.match(text, /^jackfield_carrier_reachable\{carrier="beta-2"\} 0$/m);
  carriers = [['alpha', 0]];
  assert.doesNotMatch(await metrics.text(), /beta-2/);
});

test('a histogram with a source is a histogram of the exposition format', async () => {
  const metrics = createMetrics({ process: false });
  metrics.histogram('jackfield_tick_seconds', 'Ticks.', async () => ({
    count: 3,
    sum: 0.5,
    upTo: [
      { bound: 0.01, count: 1 },
      { bound: 0.02, count: 2 },
    ],
  }));
  assert.match(
    await metrics.text(),
    /^# HELP jackfield_tick_seconds Ticks\.\n# TYPE jackfield_tick_seconds histogram\njackfield_tick_seconds_bucket\{le="0\.01"\} 1\njackfield_tick_seconds_bucket\{le="0\.02"\} 2\njackfield_tick_seconds_bucket\{le="\+Inf"\} 3\njackfield_tick_seconds_sum 0\.5\njackfield_tick_seconds_count 3$/m,
  );
});
