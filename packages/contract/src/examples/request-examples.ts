import { callExamples } from './call-examples.ts';
import { exampleIds } from './example-ids.ts';
import type { RequestExample } from './request-example.ts';

const { app_id, credential_uuid, ipacl_uuid, number, uri_uuid } = exampleIds;

const accountExamples = {
  updateAccount: [
    { summary: 'Name and city', value: { name: 'Example Ltd', city: 'Lisbon', timezone: 'Europe/Lisbon' } },
  ],
  createConsoleLink: [{ summary: 'A colleague who watches', value: { role: 'viewer' } }],
  createSubaccount: [{ summary: 'A subaccount', value: { name: 'Support' } }],
  updateSubaccount: [
    { summary: 'Another name', value: { name: 'Support of the north' } },
    { summary: 'Nothing new begins for it', value: { enabled: false } },
  ],
  createApplication: [
    {
      summary: 'Your server answers calls',
      value: {
        app_name: 'menu',
        answer_url: 'https://example.com/answer',
        hangup_url: 'https://example.com/hangup',
      },
    },
  ],
  updateApplication: [
    {
      summary: 'Another server',
      value: { answer_url: 'https://example.com/new-answer', answer_method: 'GET' },
    },
  ],
  createSipTrace: [
    { summary: 'A phone, for half an hour', value: { endpoint_id: exampleIds.endpoint_id, minutes: 30 } },
  ],
  createEndpoint: [
    { summary: 'A phone', value: { username: 'alice', password: 'a-good-password', alias: 'alice' } },
    {
      summary: 'A phone whose calls an application handles',
      value: { username: 'bob', password: 'another-good-password', alias: 'bob', app_id },
    },
  ],
  updateEndpoint: [
    { summary: 'Another password', value: { password: 'a-better-password' } },
    { summary: 'Without application', value: { app_id: null } },
  ],
  createClientToken: [
    {
      summary: 'A browser that calls and cannot be called',
      value: { per: { voice: { incoming_allow: false, outgoing_allow: true } } },
    },
  ],
  createNumber: [
    {
      summary: 'A number that an application answers',
      value: { number: '+442079460101', alias: 'London', app_id },
    },
  ],
  updateNumber: [{ summary: 'No application answers', value: { alias: 'London, closed', app_id: null } }],
  startSandboxFault: [
    { summary: 'Your program is unreachable for a minute', value: { name: 'receiver-down', seconds: 60 } },
    { summary: 'Messages arrive half a minute late', value: { name: 'sms-late', late_seconds: 30 } },
  ],
  createSandboxCall: [
    {
      summary: 'Calls an application, and presses 1 after three seconds',
      value: { to: app_id, send_digits: 'WWW1' },
    },
    {
      summary: 'Calls a number of the account',
      value: { to: `+${number}`, behaviour: 'echo', hangup_after: 20 },
    },
  ],
} satisfies Examples;

const trunkExamples = {
  createTrunkCredential: [
    { summary: 'A credential', value: { name: 'pbx', username: 'pbx', password: 'a-good-password' } },
  ],
  updateTrunkCredential: [
    {
      summary: 'A new password, the old one valid for another hour',
      value: { password: 'a-better-password', password_overlap: 3600 },
    },
  ],
  createIpAccessControlList: [
    { summary: 'A list', value: { name: 'office', ip_addresses: ['192.0.2.1', '198.51.100.0/24'] } },
  ],
  updateIpAccessControlList: [{ summary: 'Another address', value: { ip_addresses: ['192.0.2.2'] } }],
  createOriginationUri: [
    { summary: 'Without password', value: { name: 'pbx', uri: 'pbx.example.com:5060' } },
    {
      summary: 'Over TLS, with a password',
      value: {
        name: 'pbx',
        uri: 'sip:platform@pbx.example.com;transport=tls',
        authentication_needed: true,
        username: 'platform',
        password: 'a-good-password',
      },
    },
  ],
  updateOriginationUri: [{ summary: 'Another host', value: { uri: 'pbx2.example.com' } }],
  createTrunk: [
    {
      summary: 'Your system calls out',
      value: { name: 'pbx out', trunk_direction: 'outbound', credential_uuid },
    },
    {
      summary: 'Your system calls out, by address and over TLS',
      value: { name: 'office', trunk_direction: 'outbound', ipacl_uuid, secure: true },
    },
    {
      summary: 'Your system is called',
      value: { name: 'pbx in', trunk_direction: 'inbound', primary_uri_uuid: uri_uuid },
    },
  ],
  updateTrunk: [{ summary: 'Disabled', value: { trunk_status: 'disabled' } }],
} satisfies Examples;

const verifyExamples = {
  createVerifySession: [
    { summary: 'A message', value: { recipient: '+14155552671' } },
    {
      summary: 'A message in Portuguese, with a status callback',
      value: {
        recipient: '+14155552672',
        locale: 'pt-BR',
        brand_name: 'Example',
        code_length: 4,
        url: 'https://example.com/verify',
      },
    },
  ],
  checkVerifyCode: [{ summary: 'What the person has typed', value: { otp: exampleIds.otp } }],
  createVerifyApp: [
    { summary: 'An app', value: { alias: 'login', brand_name: 'Example', code_length: 6, code_expiry: 5 } },
    {
      summary: 'Two countries, and a text of its own',
      value: {
        alias: 'payments',
        sms_template: '{{code}} confirms your payment at {{brand}}.',
        allowed_countries: ['US', 'CA'],
        fraud_shield: 'high',
      },
    },
  ],
  updateVerifyApp: [{ summary: 'Fewer attempts', value: { max_attempts: 3, max_validations: 3 } }],
} satisfies Examples;

type Examples = Readonly<Record<string, readonly RequestExample[]>>;

const examples: Examples = { ...accountExamples, ...callExamples, ...trunkExamples, ...verifyExamples };

/** Bodies for an operation by its operationId; Zentrunk is another word for SipTrunk. */
export function requestExamples(operationId: string): readonly RequestExample[] {
  return examples[operationId.replace(/Zentrunk$/, '')] ?? [];
}
