import type { DescribedMetric } from '@jackfield/adapters/metrics';

// Up to two minutes: no phone rings longer.
const setupBuckets = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120];
// ITU-T G.107 annex B: 4.34, 4.03, 3.60, 3.10 and 2.58 are the limits from very satisfied users to nearly all users dissatisfied.
const mosBuckets = [1, 2, 2.58, 3.1, 3.6, 4.03, 4.34, 4.5];
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** All counters and histograms; gauges describe themselves where they are registered. */
export const describedMetrics: Readonly<Record<string, DescribedMetric>> = {
  jackfield_calls_ended_total: {
    sentence: 'Legs of calls that have ended, by the cause in their records.',
    labels: ['direction', 'cause'],
  },
  jackfield_call_setup_seconds: {
    sentence: 'From the beginning of a leg to its answer; legs that were not answered are left out.',
    labels: ['direction'],
    buckets: setupBuckets,
  },
  jackfield_call_mos: {
    sentence:
      'Estimated mean opinion score (ITU-T G.107) of what came from the phone of a leg that has ended.',
    buckets: mosBuckets,
  },
  jackfield_nodes_ended_total: {
    sentence: 'Nodes of the cluster that this node has ended because they gave no sign of life.',
  },
  jackfield_forwarded_requests_total: {
    sentence:
      'Requests of the HTTP interface that this node has passed on to the node where their thing lives.',
    labels: ['outcome'],
  },
  jackfield_machine_detections_total: {
    sentence: 'Answered legs of which was decided whether a person or an answering machine has answered.',
    labels: ['result'],
  },
  jackfield_recognitions_ended_total: {
    sentence: 'Speech recognitions that have ended: complete, cancelled, or by the code of their failure.',
    labels: ['outcome'],
  },
  jackfield_recognition_answer_seconds: {
    sentence:
      'From the last audio of a speech recognition to the last word of its engine; failures are left out.',
    buckets: requestBuckets,
  },
  jackfield_carrier_calls_passed_over_total: {
    sentence: 'Calls that a carrier did not get or take.',
    labels: ['carrier', 'reason'],
  },
  jackfield_http_requests_total: {
    sentence: 'Requests of the HTTP interface.',
    labels: ['method', 'path', 'status'],
  },
  jackfield_http_request_seconds: {
    sentence: 'How long requests of the HTTP interface took.',
    buckets: requestBuckets,
  },
  jackfield_http_failed_authentications_total: { sentence: 'Requests with wrong credentials.' },
  jackfield_http_not_listened_total: {
    sentence: 'Requests of sources that had sent too many wrong credentials.',
  },
  jackfield_http_rate_limited_total: {
    sentence: 'Requests that were answered with 429 because a source or an account had sent too many.',
    labels: ['by'],
  },
  jackfield_http_pipelining_refused_total: {
    sentence: 'HTTP connections that were closed because too many requests waited on them.',
  },
  jackfield_http_connections_stalled_total: {
    sentence: 'HTTP connections that were closed because their client took nothing of an answer.',
  },
  jackfield_sip_inactive_account_refused_total: {
    sentence: 'REGISTER and INVITE with right credentials of a subaccount that is disabled or deleted.',
  },
  jackfield_http_connections_refused_total: { sentence: 'HTTP connections beyond the limits.' },
  jackfield_sound_fetches_total: {
    sentence: 'Sound files of customers that were asked for.',
    labels: ['outcome'],
  },
  jackfield_sound_cache_hits_total: { sentence: 'Sound files of customers that were there already.' },
  jackfield_sound_failures_total: { sentence: 'Sounds that could not be played.', labels: ['kind'] },
  jackfield_messages_total: {
    sentence: 'Messages that were handed to gateways.',
    labels: ['gateway', 'outcome'],
  },
  jackfield_verify_sends_total: { sentence: 'Codes that were sent.', labels: ['channel'] },
  jackfield_verify_refusals_total: { sentence: 'Verifications that were refused.', labels: ['reason'] },
  jackfield_verify_checks_total: { sentence: 'Codes that were checked.', labels: ['outcome'] },
};
