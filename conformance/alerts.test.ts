import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { missing } from './support/installed.ts';

const rulesFile = join(import.meta.dirname, '../deploy/prometheus-rules.yaml');

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** One alert: samples of each minute that make it fire, and others, right below its limit, that do not. */
interface Case {
  /** Name and labels of a series without its instance; values in the notation of promtool. */
  readonly fires: Readonly<Record<string, string>>;
  readonly stays: Readonly<Record<string, string>>;
  /** Labels of the alert beside its instance. */
  readonly labels?: Readonly<Record<string, string>>;
}

const cases: Readonly<Record<string, Case>> = {
  JackfieldDown: {
    fires: { 'up{job="jackfield"': '1x5 0x55' },
    stays: { 'up{job="jackfield"': '1x60' },
    labels: { job: 'jackfield' },
  },
  JackfieldHearingLeak: {
    fires: { jackfield_media_leaks: '1x60' },
    stays: { jackfield_media_leaks: '0x60' },
  },
  JackfieldMediaWorkerDied: {
    fires: { jackfield_media_worker_deaths_total: '0x55 1x5' },
    stays: { jackfield_media_worker_deaths_total: '1x60' },
  },
  JackfieldMediaLate: {
    fires: {
      jackfield_media_tick_lateness_seconds_count: '0+3000x60',
      'jackfield_media_tick_lateness_seconds_bucket{le="0.02"': '0+2940x60',
    },
    stays: {
      jackfield_media_tick_lateness_seconds_count: '0+3000x60',
      'jackfield_media_tick_lateness_seconds_bucket{le="0.02"': '0+2980x60',
    },
  },
  JackfieldBadAudio: {
    fires: {
      'jackfield_call_mos_bucket{le="3.6"': '0+3x60',
      'jackfield_call_mos_bucket{le="4.5"': '0+9x60',
      'jackfield_call_mos_bucket{le="+Inf"': '0+9x60',
    },
    stays: {
      'jackfield_call_mos_bucket{le="3.6"': '0+1x60',
      'jackfield_call_mos_bucket{le="4.5"': '0+9x60',
      'jackfield_call_mos_bucket{le="+Inf"': '0+9x60',
    },
  },
  JackfieldCarrierUnreachable: {
    fires: { 'jackfield_carrier_reachable{carrier="north"': '0x60' },
    stays: { 'jackfield_carrier_reachable{carrier="north"': '1x60' },
    labels: { carrier: 'north' },
  },
  JackfieldCarrierUnregistered: {
    fires: { 'jackfield_carrier_registered{carrier="north"': '0x60' },
    stays: { 'jackfield_carrier_registered{carrier="north"': '1x60' },
    labels: { carrier: 'north' },
  },
  JackfieldCarrierCallsPassedOver: {
    fires: { 'jackfield_carrier_calls_passed_over_total{carrier="north",reason="cap"': '0+7x60' },
    stays: { 'jackfield_carrier_calls_passed_over_total{carrier="north",reason="cap"': '0+5x60' },
    labels: { carrier: 'north', reason: 'cap' },
  },
  JackfieldCallbacksWait: {
    fires: { jackfield_callback_oldest_pending_seconds: '301x60' },
    stays: { jackfield_callback_oldest_pending_seconds: '300x60' },
  },
  JackfieldSlowRequests: {
    fires: {
      'jackfield_http_request_seconds_bucket{le="1"': '0+98x60',
      'jackfield_http_request_seconds_bucket{le="2.5"': '0+100x60',
      'jackfield_http_request_seconds_bucket{le="+Inf"': '0+100x60',
    },
    stays: {
      'jackfield_http_request_seconds_bucket{le="1"': '0+100x60',
      'jackfield_http_request_seconds_bucket{le="2.5"': '0+100x60',
      'jackfield_http_request_seconds_bucket{le="+Inf"': '0+100x60',
    },
  },
  JackfieldServerErrors: {
    fires: { 'jackfield_http_requests_total{status="503"': '0+7x60' },
    stays: {
      'jackfield_http_requests_total{status="503"': '0+5x60',
      'jackfield_http_requests_total{status="404"': '0+99x60',
    },
  },
  JackfieldWrongPasswords: {
    fires: { jackfield_sip_failed_logins_total: '0+61x60' },
    stays: { jackfield_sip_failed_logins_total: '0+59x60' },
  },
  JackfieldRecordingsLost: {
    fires: { jackfield_recorder_dropped_portions: '0x55 1x5' },
    stays: { jackfield_recorder_dropped_portions: '1x60' },
  },
  JackfieldMessageGatewayAway: {
    fires: { 'jackfield_message_gateway_bound{gateway="north"': '0x60' },
    stays: { 'jackfield_message_gateway_bound{gateway="north"': '1x60' },
    labels: { gateway: 'north' },
  },
  JackfieldEventLoopBusy: {
    fires: { nodejs_eventloop_lag_p99_seconds: '0.21x60' },
    stays: { nodejs_eventloop_lag_p99_seconds: '0.2x60' },
  },
};

function seriesOf(samples: Readonly<Record<string, string>>, instance: string) {
  return Object.entries(samples).map(([series, values]) => ({
    series: `${series}${series.includes('{') ? ',' : '{'}instance="${instance}"}`,
    values,
  }));
}

/** A unit test of promtool: of two servers one fires the alert, with its words, and the other fires none. JSON is YAML. */
function testOf({ alert, labels, annotations }: Rule) {
  const { fires, stays, labels: own = {} } = cases[alert] ?? assert.fail(`nothing makes ${alert} fire`);
  const shown = { instance: 'one', ...own };
  const written = Object.entries(annotations).map(([name, text]) => [
    name,
    text.replace(
      /\{\{ \$labels\.(\w+) \}\}/g,
      (_, label: string) => (shown as Record<string, string>)[label] ?? '',
    ),
  ]);
  return {
    interval: '1m',
    input_series: [...seriesOf(fires, 'one'), ...seriesOf(stays, 'other')],
    alert_rule_test: [
      {
        eval_time: '58m',
        alertname: alert,
        exp_alerts: [{ exp_labels: { ...labels, ...shown }, exp_annotations: Object.fromEntries(written) }],
      },
    ],
  };
}

function promtool(...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}

describe('the alerts of deploy/prometheus-rules.yaml, in Prometheus', { skip: missing('promtool') }, () => {
  it('are rules that Prometheus accepts', () => promtool('check', 'rules', rulesFile));

  it('are loaded beside the scrape that the page of metrics shows', (t) => {
    const page = readFileSync(join(import.meta.dirname, '../docs/operate/metrics.md'), 'utf8');
    const [, shown = assert.fail(page)] = /^```yaml\n([\s\S]*?)^```/m.exec(page) ?? [];
    const directory = mkdtempSync(join(tmpdir(), 'alerts-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'prometheus.yaml');
    writeFileSync(file, `rule_files: [${rulesFile}]\n${shown}`);
    // The file with the token is of the reader's machine.
    promtool('check', 'config', '--syntax-only', file);
    assert.throws(() => {
      writeFileSync(file, shown.replace('scheme', 'schema'));
      promtool('check', 'config', '--syntax-only', file);
    });
  });

  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  for (const rule of groups.flatMap(({ rules }) => rules)) {
    it(`${rule.alert} fires beyond its limit, and not at it`, (t) => {
      const directory = mkdtempSync(join(tmpdir(), 'alerts-'));
      t.after(() => rmSync(directory, { recursive: true }));
      const file = join(directory, 'test.json');
      writeFileSync(
        file,
        JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests: [testOf(rule)] }),
      );
      promtool('test', 'rules', file);
    });
  }
});
