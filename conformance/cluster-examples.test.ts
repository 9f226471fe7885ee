import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { natsMissing } from '@jackfield/testkit/nats-server';
import { postgresMissing } from '@jackfield/testkit/postgres-server';
import { cleanUp } from './support/clean-up.ts';
import { Cluster } from './support/cluster.ts';
import { examplesOf, filled, operationsOf, replaced } from './support/documented-examples.ts';
import type { HttpApi } from './support/http-api-page.ts';
import { OwnResources } from './support/own-resources.ts';
import type { PlatformProcess } from './support/platform-process.ts';

const skip = postgresMissing() ?? natsMissing() ?? false;

/** What lives at one node alone. */
const live = /\{(call_uuid|mpc|session_uuid)\}/;

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

  it('are accepted, and carried out where it lives: every operation with a body on a call, a multiparty call and a verification', async () => {
    const answer = await fetch(`${home.httpUrl}/openapi.json`);
    let sent = 0;
    for (const { method, path, operation } of operationsOf((await answer.json()) as HttpApi)) {
      if (!live.test(path)) continue;
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
});
