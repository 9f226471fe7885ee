import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { examplesOf, filled, operationsOf, replaced } from './support/documented-examples.ts';
import { type HttpApi, httpApiPage, httpApiText } from './support/http-api-page.ts';
import { OwnResources } from './support/own-resources.ts';
import { PlatformProcess } from './support/platform-process.ts';

/** Sends each example as a reader would: with identifiers of the account, and nothing else changed. */
describe('the examples of the documentation', { timeout: 300_000 }, () => {
  let platform: PlatformProcess;
  let server: CallbackReceiver;
  let own: OwnResources;
  let document: HttpApi;
  let operations: ReturnType<typeof operationsOf>;

  before(async () => {
    platform = await PlatformProcess.start();
    server = await CallbackReceiver.start();
    own = new OwnResources(platform, server);
    const answer = await fetch(`${platform.httpUrl}/openapi.json`);
    document = (await answer.json()) as HttpApi;
    operations = operationsOf(document);
  });

  after(async () => {
    await cleanUp(
      () => own.end(),
      () => platform.until('the end of the calls', 'Call/?status=live', ({ calls }) => calls.length === 0),
      () => server.stop(),
      () => platform.stop(),
    );
  });

  it('belong to operations whose names a generated client can use', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(names).size, names.length);
    for (const name of names) {
      assert.match(
        name,
        /^(activate|add|cancel|check|create|delete|end|fetch|hangUp|list|pause|play|record|remove|replay|resume|retrieve|send|speak|start|stop|transfer|update)[A-Z][A-Za-z]*$/,
      );
      assert.ok(name.length <= 40, name);
    }
  });

  it('stand in the list of all requests (npx node conformance/write-http-api.ts)', () => {
    const page = readFileSync(join(import.meta.dirname, '..', httpApiPage), 'utf8');
    assert.equal(page, httpApiText(document));
  });

  it('of every body are accepted', async () => {
    for (const { method, path, operation } of operations) {
      if (operation.requestBody === undefined) continue;
      const { operationId } = operation;
      const examples = examplesOf(operation);
      assert.notEqual(examples.length, 0, `${operationId} has no example`);
      for (const { summary, value } of examples) {
        const text = JSON.stringify(value);
        const ids = await own.idsFor(operationId, `${path} ${text}`);
        const { status, body } = await platform.api(
          method,
          filled(path, ids),
          JSON.parse(replaced(text, ids)),
        );
        assert.ok(status >= 200 && status < 300, `${operationId}, ${summary}: ${JSON.stringify(body)}`);
      }
      await own.end();
    }
  });

  it('of the parameters of every list are accepted together', async () => {
    for (const { method, path, operation } of operations) {
      const query = operation.parameters.filter((each) => each.in === 'query');
      for (const { name, example } of operation.parameters) {
        assert.notEqual(example, undefined, `${operation.operationId} has no example of ${name}`);
      }
      if (method !== 'GET' || query.length === 0 || path.includes('{')) continue;
      const search = new URLSearchParams(
        query.map(({ name, example }): [string, string] => [name, String(example)]),
      );
      const { status, body } = await platform.api('GET', `${path}?${search}`);
      assert.equal(status, 200, `${operation.operationId}: ${JSON.stringify(body)}`);
    }
  });

  it('of commands run in a shell as the page shows them', async () => {
    const run = promisify(execFile);
    const env = {
      PATH: process.env.PATH,
      AUTH: `${platform.authId}:${platform.authToken}`,
      JACKFIELD: `${platform.httpUrl}/v1/Account/${platform.authId}`,
    };
    for (const { operation } of operations) {
      assert.notEqual(operation['x-codeSamples'].length, 0, operation.operationId);
    }
    const shown = operations.filter(({ operation }) =>
      ['createEndpoint', 'listEndpoints', 'createTrunkCredential'].includes(operation.operationId),
    );
    for (const { operation } of shown) {
      const { source } = operation['x-codeSamples'][0]!;
      const { stdout } = await run('sh', ['-c', `${source} -s -f`], { env });
      assert.ok(JSON.parse(stdout).api_id, source);
    }
  });
});
