import { streamUpgrade, type Webhook, webhooks } from '@jackfield/contract';

/** `webhooks` of the document: every request to URLs of customers. */
export function documentedWebhooks(): Readonly<Record<string, object>> {
  return {
    ...Object.fromEntries(webhooks.map((webhook) => [webhook.name, { post: requestOf(webhook) }])),
    [streamUpgrade.name]: { get: upgradeRequest() },
  };
}

function requestOf({ name, summary, description, urls, answer, events, fields }: Webhook) {
  const reported = events.length === 0 ? '' : ` Event stream: ${events.join(', ')}.`;
  return {
    operationId: name,
    summary,
    description: `${description} Set by ${urls.join('; ')}.${reported} With the method GET the fields are in the query.`,
    // The platform proves itself with a signature, not with credentials.
    security: [],
    parameters: ['V2', 'Ma-V2', 'V2-Nonce', 'V3', 'Ma-V3', 'V3-Nonce'].map((each) =>
      headerOf(`X-Service-Signature-${each}`),
    ),
    requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: fields } } },
    responses:
      answer === 'document'
        ? {
            200: {
              description: 'The document that runs next.',
              content: { 'application/xml': { schema: { type: 'string' } } },
            },
          }
        : { 200: { description: 'Accepted. The body is not read.' } },
  };
}

function upgradeRequest() {
  const { name, summary, description, urls, headers } = streamUpgrade;
  return {
    operationId: name,
    summary,
    description: `${description} Set by ${urls.join('; ')}.`,
    security: [],
    parameters: [
      headerOf('Connection', { const: 'Upgrade' }),
      headerOf('Upgrade', { const: 'websocket' }),
      headerOf('Sec-WebSocket-Version', { const: '13' }),
      headerOf('Sec-WebSocket-Key'),
      ...headers.map((each) => ({
        ...headerOf(`X-Service-${each.name}`),
        description: each.description,
      })),
    ],
    responses: {
      101: {
        description: 'The connection is a WebSocket from now on.',
        headers: {
          'Sec-WebSocket-Accept': {
            required: true,
            schema: { type: 'string' },
            description: 'Made of Sec-WebSocket-Key (RFC 6455 §4.2.2).',
          },
        },
      },
      default: {
        description: 'The stream cannot be connected: the platform retries, then the stream has failed.',
      },
    },
  };
}

function headerOf(name: string, value: object = {}) {
  return { name, in: 'header', required: true, schema: { type: 'string', ...value } };
}
