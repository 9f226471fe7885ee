import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { metricsPage, metricsText } from './support/metrics-page.ts';
import { PlatformProcess } from './support/platform-process.ts';

const page = join(import.meta.dirname, '..', metricsPage);

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary?: string; readonly description?: string };
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const deployed = (file: string) => readFile(join(import.meta.dirname, '../deploy', file), 'utf8');

interface Described {
  readonly type: string;
  readonly sentence: string;
}

describe('/metrics', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start();
  });

  after(() => platform.stop());

  const scraped = () => platform.scrape();

  /** HELP and TYPE of each metric of the platform. */
  function describedIn(text: string): Map<string, Described> {
    const found = new Map<string, Described>();
    for (const [, name = '', sentence = '', type = ''] of text.matchAll(
      /^# HELP (jackfield_\S+) (.*)\n# TYPE \S+ (\S+)$/gm,
    )) {
      found.set(name, { type, sentence });
    }
    return found;
  }

  it('every metric has a sentence, and the table of docs is that of a server (node conformance/write-metrics.ts)', async () => {
    const scrape = await scraped();
    const described = describedIn(scrape);
    assert.ok(described.size > 80, 'the scrape was read');
    for (const [name, { sentence }] of described) assert.ok(sentence.endsWith('.'), name);
    const text = await readFile(page, 'utf8');
    assert.equal(text, metricsText(text, scrape));
  });

  it('names follow Prometheus: counters end in _total, units are seconds and bytes', async () => {
    for (const [name, { type }] of describedIn(await scraped())) {
      assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
      assert.doesNotMatch(name, /_(?:ms|millis|milliseconds|kb|p\d\d)(?:_|$)/);
    }
  });

  it('the alerts and the dashboard of deploy/ name metrics of a running platform', async () => {
    const text = await scraped();
    const known = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    const { groups } = parse(await deployed('prometheus-rules.yaml')) as Alerts;
    const { panels } = JSON.parse(await deployed('grafana-dashboard.json')) as Dashboard;
    const expressions = [
      ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    assert.ok(expressions.length > 40, 'the files were read');
    for (const expression of expressions) {
      const names = expression.match(/\b(?:jackfield|nodejs|process)_\w+/g) ?? [];
      assert.deepEqual(
        names.filter((name) => !known.has(name)),
        [],
        expression,
      );
    }
    for (const { rules } of groups) {
      for (const { alert, annotations } of rules) {
        assert.ok(
          annotations.summary && annotations.description,
          `${alert} says what is wrong and where to look`,
        );
      }
    }
  });

  it('a call is counted by its cause, with its set-up time and the quality of its audio', async () => {
    const { body } = await platform.api('POST', 'MultiPartyCall/name_measured/Participant/', {
      role: 'agent',
      from: '+12025550000',
      to: '+12025550109',
    });
    assert.ok(body.request_uuid ?? body.calls);
    await platform.until('a live call', 'Call/?status=live', ({ calls }) => calls.length === 1);
    assert.match(await scraped(), /^jackfield_live_calls 1$/m);
    assert.match(await scraped(), /^jackfield_live_multiparty_calls 1$/m);
    await platform.until(
      'the answer',
      'MultiPartyCall/name_measured/Participant/',
      ({ objects }) => objects[0]?.status === 'joined',
    );
    const ticks = async () =>
      (await platform.metrics('jackfield_media_ticks_total')).jackfield_media_ticks_total!;
    for (const from = await ticks(); (await ticks()) < from + 100; );
    await platform.api('DELETE', 'MultiPartyCall/name_measured/');
    await platform.untilQuiet();
    const text = await scraped();
    assert.match(text, /^jackfield_calls_ended_total\{direction="outbound",cause="[^"]+"\} 1$/m);
    assert.match(text, /^jackfield_call_setup_seconds_count\{direction="outbound"\} 1$/m);
    assert.match(text, /^jackfield_call_mos_count 1$/m);
    assert.match(text, /^jackfield_media_tick_lateness_seconds_bucket\{le="0\.02"\} [1-9]\d*$/m);
    assert.match(text, /^jackfield_callbacks_pending 0$/m);
    assert.match(text, /^jackfield_registrations 0$/m);
    assert.match(text, /^jackfield_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
    assert.match(text, /^nodejs_version_info\{version="v24/m);
    assert.match(text, /^process_start_time_seconds \d+$/m);
  });
});
