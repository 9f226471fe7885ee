import { eventStreamTypes, streamUpgrade, webhooks } from '@jackfield/contract';

export const pagePath = 'docs/reference/webhooks.md';

const introduction = `# Webhooks

After this page your server accepts what the platform sends, knows that it comes from the platform, and handles it once. The same schemas are in
\`/openapi.json\` under \`webhooks\`. This page is written by \`npx node tools/webhooks/write-page.ts\` from the contract; simulated calls show that what is sent is what stands here.

## A request

A POST has a form (\`application/x-www-form-urlencoded\`), a GET has the same fields in the query; you choose the method where you set the URL. All values are texts.
Ignore fields that you do not know: others may be added.

Where the answer is a *document*, it is XML with the root \`Response\` ([call instructions](call-instructions.md)): at most 100 KB, within 15 s. Everywhere else the status
200 to 299 accepts the request, and the body is not read.

## Signatures

Each request has these headers, under \`X-Service-\` and \`X-Plivo-\` (\`JACKFIELD_SIGNATURE_PREFIXES\`). A signature is the base64 of an HMAC-SHA256; its key is the \`auth_token\` of the account that owns
the resource, and for the headers with \`-Ma-\` that of the main account.

| header | the text that is signed |
|---|---|
| \`Signature-V2\`, \`Signature-Ma-V2\` | the URL without its query, and \`Signature-V2-Nonce\` right behind it |
| \`Signature-V3\`, \`Signature-Ma-V3\` of a GET | the URL, \`?\` and all parameters as \`name=value\`, sorted and joined by \`&\`, a dot and \`Signature-V3-Nonce\` |
| \`Signature-V3\`, \`Signature-Ma-V3\` of a POST | the URL, \`?\`, the sorted query, a dot where there are both, the fields of the form as \`namevalue\`, sorted, a dot and the nonce |

Sort the decoded names; the fragment of a URL is never part of it. A request without any parameter has no \`?\`. Behind a proxy use the URL that you set, not the URL that your server sees.
Where a request has another form of the URL than you set (\`/ä\` is sent as \`/%C3%A4\`), \`Signature-V3\` lists a signature over each form, with a comma between: a single match is enough.
\`stringToSignV2\` and \`stringToSignV3\` of \`@jackfield/contract\` make the texts; \`GET Callback/{callback_id}/\` shows those that were signed (\`signed_v2\`, \`signed_v3\`).

The upgrade of an audio stream is a signed GET without parameters ([streamUpgrade](#streamupgrade)).
Music, sounds and the documents of music are requested unsigned.

## Retries and order

Callbacks are sent at least once. \`X-Service-Event-Id\` is the same in each attempt and replay: drop what you have handled. Those of one resource come in order, one after another; those of a Verify session are sent when they happen, without order.
The fragment of a URL sets the delivery; it is neither sent nor signed.

| key | meaning | allowed | default |
|---|---|---|---|
| \`ct\` | ms to connect | 100–10000 | 2000 |
| \`rt\` | ms to the answer | to 40000 | 40000 |
| \`tt\` | ms in all | to 55000 | 55000 |
| \`rc\` | retries, after 1, 5, 20, 45 and 600 s | 0–5 | 1 |
| \`rp\` | what is retried | \`4xx\`, \`5xx\`, \`ct\`, \`rt\` | \`ct,rt\` |

\`https://you.example/hangup#rc=5&rp=5xx,ct,rt\` is sent again up to five times. Redirects are not followed for callbacks, and up to three times for documents and sounds. Verify has its own rule: only the status 200
is a success, and everything else is sent again after 60, 120 and 240 s. \`POST Callback/{callback_id}/Replay/\` sends a callback again, by the same rule.

## Every webhook
`;

/** The whole page, from the contract. */
export function pageText(): string {
  const sections = webhooks.map(({ name, summary, description, urls, answer, events, fields }) => {
    const { properties } = fields;
    const required: readonly string[] = fields.required ?? [];
    const rows = Object.entries(properties).map(([field, schema]) => {
      const { description: says = '', enum: values } = schema as {
        description?: string;
        enum?: readonly string[];
      };
      const allowed = values === undefined ? '' : ` ${values.map((value) => `\`${value}\``).join(', ')}`;
      return `| \`${field}\`${required.includes(field) ? '' : ' (not always)'} | ${says}${allowed} |`;
    });
    const headers =
      'patternProperties' in fields
        ? '\nOf a call that came: `SIP-H-To`, the header To of its INVITE, and its headers `X-PH-…` under their names.\n'
        : '';
    return [
      `### ${name}`,
      `${summary}. ${description}`,
      `Set by: ${urls.join('; ')}. Answer: ${answer}. Events: ${events.length === 0 ? 'none' : events.map((each) => `\`${each}\``).join(', ')}.`,
      `| field | meaning |\n|---|---|\n${rows.join('\n')}\n${headers}`,
    ].join('\n\n');
  });
  const events = eventStreamTypes.map(({ type, description, data }) => {
    const names = [...new Set(data.flatMap((each) => Object.keys(each.properties)))];
    const carriers = webhooks.filter((webhook) => webhook.events.includes(type)).map(({ name }) => name);
    const what = [...names.map((name) => `\`${name}\``), ...carriers.map((name) => `as ${name}`)];
    return `| \`${type}\` | ${description} | ${what.join(', ')} |`;
  });
  const { name, summary, description, urls, headers } = streamUpgrade;
  const upgrade = `### ${name}

${summary}. ${description}

Set by: ${urls.join('; ')}. Answer: 101, and a WebSocket from then on.

| header | meaning |
|---|---|
${headers.map((each) => `| \`X-Service-${each.name}\` | ${each.description} |`).join('\n')}
`;
  return `${introduction}
${sections.join('\n')}
${upgrade}
## The event stream

\`GET Event/\` has everything that happens on an account, as pages or as server-sent events. An event that a webhook carries has the fields of that webhook as \`data\`, with numbers and booleans
instead of their texts.

| type | when | data |
|---|---|---|
${events.join('\n')}
`;
}
