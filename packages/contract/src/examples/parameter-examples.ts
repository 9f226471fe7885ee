import { exampleIds } from './example-ids.ts';

const { otp: _, ...pathExamples } = exampleIds;
const time = '2026-02-01 10:00:00';

/** A value of each parameter in a path or a query that has no default and no closed list of values, by its name. */
const examples: Readonly<Record<string, string | number | boolean>> = {
  ...pathExamples,
  URL: `https://api.example.com/v1/Account/${exampleIds.auth_id}/Recording/${exampleIds.recording_file}`,
  add_time: time,
  after: '1769940000125-1',
  alias: 'login',
  app_hash: 'FA+9qCX9VSu',
  app_name: 'menu',
  at: time,
  bill_duration: 60,
  brand_name: 'Example',
  by: 'channel,prefix',
  coaching: true,
  conference_name: 'demo',
  conference_uuid: exampleIds.call_uuid,
  country: 'US',
  creation_time: time,
  end_time: time,
  fallback_uri_uuid: exampleIds.uri_uuid,
  fault: 'receiver-down',
  friendly_name: 'demo',
  from_number: '+12025550000',
  hangup_cause_code: 4000,
  listener: '17',
  lost_credential_uuid: exampleIds.credential_uuid,
  mpc_name: 'demo',
  mpc_uuid: exampleIds.call_uuid,
  node: 'two',
  new_endpoint_application: exampleIds.app_id,
  parent_call_uuid: exampleIds.call_uuid,
  position: `call/${exampleIds.call_uuid}`,
  primary_uri_uuid: exampleIds.uri_uuid,
  range: 'bytes=0-65535',
  q: '+14155552671',
  recipient: '14155552671',
  record_track_type: 'all',
  recording_storage_duration: 30,
  resource: `multiparty-call/${exampleIds.call_uuid}`,
  secure: true,
  session_time: time,
  speaker: '18',
  status: 'verified',
  sub_account: exampleIds.subaccount_id,
  subaccount: exampleIds.subaccount_id,
  to: '+14155552671',
  to_number: '+12025550101',
  type: 'call.answered',
  url: `https://api.example.com/v1/Account/${exampleIds.auth_id}/Recording/${exampleIds.recording_file}`,
};

/** The example of a parameter; the four comparisons of one have its own. */
export function parameterExample(name: string): string | number | boolean | undefined {
  return examples[name.replace(/__?(?:gte?|lte?)$/, '')];
}
