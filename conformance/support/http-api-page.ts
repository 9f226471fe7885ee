/** The part of an OpenAPI document that the page shows. */
export interface HttpApi {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly summary?: string; readonly tags?: readonly string[] }>>>
  >;
}

export const httpApiPage = 'docs/reference/http-api.md';

/** From the folder of the page. */
const docs = '..';

const introduction = `# HTTP API

After this page you find the request for what you need. The page is written by \`npx node conformance/write-http-api.ts\` from the document that a running server serves; \`conformance/examples.test.ts\` compares
both.

The whole reference has every parameter, answer and an example of each request. A server serves it at \`/docs\`, and as OpenAPI 3.1 at \`/openapi.json\`: from both a client can be generated. Paths without a slash in
front are below \`/v1/Account/{auth_id}/\`. Every request has the \`auth_id\` and \`auth_token\` of the account as HTTP Basic credentials.

What all requests have in common: [Requests](${docs}/interface/requests.md). What a refusal means: [Errors](errors.md).
`;

/** Every operation of the document, by subject. */
export function httpApiText({ tags, paths }: HttpApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return (
    introduction +
    tags
      .map(({ name, description }) => {
        const rows = operations
          .filter(({ operation }) => operation.tags?.includes(name))
          .map(
            ({ path, method, operation }) =>
              `| ${method} | \`${path.replace('/v1/Account/{auth_id}/', '') || '/v1/Account/{auth_id}/'}\` | ${operation.summary ?? ''} |\n`,
          );
        if (rows.length === 0) return '';
        const sentence = description === undefined ? '' : `${description.split('\n\n')[0]}\n\n`;
        return `\n## ${name}\n\n${sentence}| | path | |\n|---|---|---|\n${rows.join('')}`;
      })
      .join('')
  );
}
