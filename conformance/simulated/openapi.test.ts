import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { streamUpgrade, webhooks } from '@jackfield/contract';
import { openSimulatedWorld } from '@jackfield/testkit';
import { Validator } from '@seriousme/openapi-schema-validator';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

async function documentOf() {
  const world = await openSimulatedWorld();
  const answer = await world.node.platform.http.inject('/openapi.json');
  await world.close();
  return answer.json();
}

describe('the OpenAPI document of the whole platform', async () => {
  const document = await documentOf();
  const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
    (path) => Object.values(path),
  );

  it('is valid by the schema of OpenAPI 3.1', async () => {
    const result = await new Validator().validate(document);
    assert.deepEqual(result, { valid: true });
  });

  it('has a schema behind each reference, and one schema for all errors', () => {
    const named = new Set(Object.keys(document.components.schemas));
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to ?? '');
    assert.notEqual(references.length, 0);
    for (const to of new Set(references)) {
      assert.ok(named.has(to.replace('#/components/schemas/', '')), to);
    }
    const errors = operations.flatMap(({ responses }) =>
      Object.entries(responses).filter(([status]) => Number(status) >= 400),
    );
    for (const [, { content }] of errors) {
      // The shared schema, narrowed to the codes of this operation and status.
      const [shared, narrowed] = allOfIn(content);
      assert.deepEqual(shared, { $ref: '#/components/schemas/Error' });
      assert.deepEqual(Object.keys(narrowed.properties), ['error_code']);
    }
  });

  it('has a sentence for each tag, and the body of each success', () => {
    const reported = new Map(
      document.tags.map((tag: { name: string; description: string }) => [tag.name, tag.description]),
    );
    assert.equal(reported.size, document.tags.length);
    for (const { operationId, tags, responses } of operations) {
      for (const tag of tags) assert.match(String(reported.get(tag)), /\.$/);
      for (const [status, { content }] of Object.entries(responses)) {
        assert.ok(status === '204' || status === '304' || content !== undefined, `${operationId} ${status}`);
      }
    }
  });

  it('has every webhook with its fields', () => {
    assert.deepEqual(Object.keys(document.webhooks), [
      ...webhooks.map(({ name }) => name),
      streamUpgrade.name,
    ]);
    for (const { name, fields } of webhooks) {
      const { schema } =
        document.webhooks[name].post.requestBody.content['application/x-www-form-urlencoded'];
      assert.deepEqual(Object.keys(schema.properties), Object.keys(fields.properties));
    }
  });

  it('introduces what holds for every operation', () => {
    for (const word of ['Authentication', 'Errors', 'Lists', 'Rates', 'Idempotency', 'Webhooks']) {
      assert.ok(document.info.description.includes(`**${word}.**`), word);
    }
  });
});

const reference = join(import.meta.dirname, '../../docs/reference');
const word = /[A-Za-z_]\w*/g;

/** Words of the page of compatibility that belong to SIP and SDP, to clients of the hosted service, or are no whole name. */
const notOfInterface = ['admin', 'fmtp', 'ipAddress', 'cx_bot', 'answer_ur', '_maximum_words', '_method'];

it('the page of compatibility names parameters, fields, elements and values that exist', async () => {
  // Generated from the server, or compared with it.
  const pages = ['call-instructions', 'causes', 'configuration', 'errors', 'http-api', 'webhooks'];
  const known = new Set(
    [
      JSON.stringify(await documentOf()),
      ...pages.map((name) => readFileSync(join(reference, `${name}.md`), 'utf8')),
    ].flatMap((text) => text.match(word) ?? []),
  );
  const page = readFileSync(join(reference, 'compatibility.md'), 'utf8');
  const named = [...page.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.match(word) ?? []);
  assert.ok(named.length > 300, `${named.length} words were found`);
  const unknown = new Set(named.filter((each) => !known.has(each) && !notOfInterface.includes(each)));
  assert.deepEqual([...unknown], []);
});

/** The parts of a schema of JSON that an answer is described by. */
function allOfIn(content: unknown): readonly [unknown, { readonly properties: object }] {
  return (content as { 'application/json': { schema: { allOf: never } } })['application/json'].schema.allOf;
}
