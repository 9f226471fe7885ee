import assert from 'node:assert/strict';
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
        assert.ok(status === '204' || content !== undefined, `${operationId} ${status}`);
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

/** The parts of a schema of JSON that an answer is described by. */
function allOfIn(content: unknown): readonly [unknown, { readonly properties: object }] {
  return (content as { 'application/json': { schema: { allOf: never } } })['application/json'].schema.allOf;
}
