import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { exampleIds } from '@jackfield/contract';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { type HttpApi, httpApiPage, httpApiText } from './support/http-api-page.ts';
import { OwnResources } from './support/own-resources.ts';
import { PlatformProcess } from './support/platform-process.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly examples: Readonly<Record<string, { summary: string; value: object }>> }>
    >;
  };
  readonly 'x-codeSamples': readonly { readonly source: string }[];
}

const accountPath = '/v1/Account/{auth_id}/';

/** Sends each example as a reader would: with identifiers of the account, and nothing else changed. */
describe('the examples of the documentation', { timeout: 300_000 }, () => {
  let platform: PlatformProcess;
  let server: CallbackReceiver;
  let own: OwnResources;
  let document: HttpApi;
  let operations: readonly {
    readonly method: string;
    readonly path: string;
    readonly operation: Operation;
  }[];

  before(async () => {
    platform = await PlatformProcess.start();
    server = await CallbackReceiver.start();
    own = new OwnResources(platform, server);
    const answer = await fetch(`${platform.httpUrl}/openapi.json`);
    document = (await answer.json()) as HttpApi;
    const { paths } = document as unknown as { paths: Record<string, Record<string, Operation>> };
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path.replace(accountPath, ''),
        operation,
      })),
    );
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
      const { examples } = operation.requestBody.content['application/json']!;
      assert.notEqual(Object.keys(examples).length, 0, `${operationId} has no example`);
      for (const { summary, value } of Object.values(examples)) {
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

type Ids = Readonly<Record<string, string>>;

function filled(path: string, ids: Ids): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(ids[name] ?? assert.fail(`there is no own ${name}`)),
  );
}

/** Replaces the identifiers of the examples; a member_id is too short to be recognized, and stands in no body. */
function replaced(text: string, ids: Ids): string {
  const { member_id: _, ...recognizable } = exampleIds;
  return Object.entries(recognizable).reduce(
    (read, [name, id]) => read.replaceAll(id, ids[name] ?? id),
    text,
  );
}
