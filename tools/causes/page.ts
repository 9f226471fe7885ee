import { explainEnd, hangupNames, statusOfEndedCall } from '@jackfield/platform/call-records';

export const pagePath = 'docs/reference/causes.md';

/** From the folder of the page. */
const docs = '..';

const introduction = `# Causes

After this page you read why a call has ended. The page is written by \`npx node tools/causes/write-page.ts\` from the codes and sentences of the server.

Each record of a call has \`hangup_cause_code\`, \`hangup_cause_name\` and \`hangup_source\`: \`Caller\`, \`Call recipient\`, \`Service\`, \`Carrier\`, \`API Request\`, \`Answer XML\`, \`Error\` or \`Unknown\`.
\`hangup_reason\` adds what is known beyond the code, such as the line of a document that is not valid. The console and \`jackfield calls show\` explain the end in a sentence; the sentences here
are those of a call from +14155550100 to +12025550100 that the platform ended, after ringing for 12 s, unanswered. Such a call has the \`CallStatus\` of the table in its last callback; a call that was answered is
\`completed\`, whatever ended it.

What is promised of them: [Calls](${docs}/interface/calls.md#hangup-causes). What helps: [Troubleshooting](${docs}/operate/troubleshooting.md#a-call-ends-at-once).

| code | name | \`CallStatus\` | the sentence |
|---|---|---|---|
`;

const leg = {
  direction: 'outbound',
  from: '+14155550100',
  to: '+12025550100',
  ringSeconds: 12,
  talkSeconds: null,
  source: 'Service',
  reason: null,
} as const;

type EndedCall = Parameters<typeof statusOfEndedCall>[0];

/** The whole page, from the platform. */
export function pageText(): string {
  const rows = Object.entries(hangupNames).map(([key, name]) => {
    const code = Number(key) as EndedCall['code'];
    const status = statusOfEndedCall({ code }, false);
    return `| ${code} | ${name} | \`${status}\` | ${explainEnd({ ...leg, code, name })} |\n`;
  });
  return introduction + rows.join('');
}
