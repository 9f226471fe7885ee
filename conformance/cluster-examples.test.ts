import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { examplesOf, filled, operationsOf, replaced } from './support/documented-examples.ts';
import type { HttpApi } from './support/http-api-page.ts';
import { OwnResources } from './support/own-resources.ts';
import type { Answer, PlatformProcess } from './support/platform-process.ts';

const skip = postgresMissing() ?? natsMissing() ?? false;

type Ids = Awaited<ReturnType<OwnResources['idsFor']>>;

/** What lives at one node alone. */
const live = /^(Call|MultiPartyCall|Request|Verify\/Session)\/\{/;

describe('the examples of the documentation at the node where their thing does not live', {
  skip,
  timeout: 300_000,
}, () => {
  let cluster: Cluster;
  let home: PlatformProcess;
  let other: PlatformProcess;
  let own: OwnResources;

  before(async () => {
    cluster = await Cluster.start();
    [home, other] = await Promise.all([cluster.join('one'), cluster.join('two')]);
    own = new OwnResources(home, cluster.customer);
  });
  after(() =>
    cleanUp(
      () => own?.end(),
      () => cluster?.stop(),
    ),
  );

  const forwarded = async (): Promise<number> =>
    (await other.metrics('jackfield_forwarded_requests_total'))[
      'jackfield_forwarded_requests_total{outcome="answered"}'
    ] ?? 0;

  async function liveOperations() {
    const answer = await fetch(`${home.httpUrl}/openapi.json`);
    return operationsOf((await answer.json()) as HttpApi).filter(({ path }) => live.test(path));
  }

  it('are accepted, and carried out where it lives: every operation with a body on a call, a multiparty call and a verification', async () => {
    let sent = 0;
    for (const { method, path, operation } of await liveOperations()) {
      for (const { summary, value } of examplesOf(operation)) {
        const { operationId } = operation;
        const text = JSON.stringify(value);
        const ids = await own.idsFor(operationId, `${path} ${text}`);
        const before = await forwarded();
        const { status, body } = await other.api(method, filled(path, ids), JSON.parse(replaced(text, ids)));
        assert.ok(status >= 200 && status < 300, `${operationId}, ${summary}: ${JSON.stringify(body)}`);
        // A participant of a new multiparty call is added where the request arrives.
        if (operationId !== 'addParticipant') assert.equal(await forwarded(), before + 1, operationId);
        sent++;
      }
      await own.end();
    }
    assert.ok(sent > 20, `${sent} examples`);
  });

  it('every operation without a body is carried out where it lives as well, and every read is that of its own node', async () => {
    const operations = await liveOperations();
    const sent = { reads: 0, changes: 0 };
    for (const { method, path, operation } of operations) {
      if (examplesOf(operation).length > 0) continue;
      const { operationId } = operation;
      const ids = await own.idsFor(operationId, path);
      Object.assign(ids, await begun(operations, path, ids));
      const before = await forwarded();
      const resource = filled(path, ids);
      const [{ status, body }, there] =
        method === 'GET' ? await readAtBoth(resource) : [await other.api(method, resource)];
      assert.ok(status >= 200 && status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
      if (there !== undefined) {
        assert.deepEqual(withoutItsOwn(body), withoutItsOwn(there.body), path);
        sent.reads++;
      } else {
        assert.equal(await forwarded(), before + 1, operationId);
        sent.changes++;
      }
      await own.end();
    }
    assert.ok(sent.reads > 10 && sent.changes > 10, JSON.stringify(sent));
  });

  /** What the other node answers, between two equal answers of its home: a receipt or a message may come between them. */
  async function readAtBoth(resource: string): Promise<readonly [Answer, Answer]> {
    for (;;) {
      const before = await home.api('GET', resource);
      const answer = await other.api('GET', resource);
      const there = await home.api('GET', resource);
      if (isDeepStrictEqual(withoutItsOwn(before.body), withoutItsOwn(there.body))) return [answer, there];
    }
  }

  /** What the operation shows or changes, begun at the home of the call: a play, a speech, a recording, a stream. */
  async function begun(
    operations: Awaited<ReturnType<typeof liveOperations>>,
    path: string,
    ids: Ids,
  ): Promise<Ids> {
    const beginning = /.+\/(Play|Speak|Record|Stream)\/(?=$|\{stream_id\}\/$|Pause\/$|Resume\/$)/.exec(
      path,
    )?.[0];
    if (path.endsWith('/Receipt/'))
      await home.api('POST', `Verify/Session/${ids.session_uuid}/`, { otp: ids.otp });
    const begin = operations.find((each) => each.method === 'POST' && each.path === beginning);
    if (begin === undefined) return {};
    const [example] = examplesOf(begin.operation);
    const text = JSON.stringify(example?.value ?? {});
    const { status, body } = await home.api('POST', filled(begin.path, ids), JSON.parse(replaced(text, ids)));
    // The recordings of participants have been begun with their multiparty call.
    assert.ok(status < 300 || /Participant.*(Pause|Resume)/.test(path), `${path}: ${JSON.stringify(body)}`);
    if (path.endsWith('/Resume/')) await home.api('POST', filled(path.replace('Resume', 'Pause'), ids));
    return { stream_id: body.stream_id };
  }
});

/** Each answer has an identifier of its own. */
function withoutItsOwn({ api_id: _, ...shown }: Answer['body']): object {
  return shown;
}
