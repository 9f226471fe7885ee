import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PlatformProcess } from './support/platform-process.ts';

const operatorPaths = ['/healthz', '/readyz', '/metrics', '/docs/', '/openapi.json'];

describe('JACKFIELD_OPERATOR_PORT', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;

  before(async () => {
    platform = await PlatformProcess.start({ JACKFIELD_OPERATOR_PORT: '0' });
    assert.equal(new URL(platform.operatorUrl).hostname, '127.0.0.1');
  });

  after(() => platform.stop());

  it('has health, metrics and documents, which are no longer on the public port', async () => {
    for (const path of operatorPaths) {
      assert.equal((await fetch(`${platform.operatorUrl}${path}`)).status, 200, path);
      assert.equal((await fetch(`${platform.httpUrl}${path}`)).status, 404, path);
    }
    assert.match(await (await fetch(`${platform.operatorUrl}/metrics`)).text(), /^jackfield_live_calls 0$/m);
  });

  it('has no API, which stays on the public port', async () => {
    const path = `/v1/Account/${platform.authId}/`;
    assert.equal((await fetch(`${platform.operatorUrl}${path}`)).status, 404);
    assert.equal((await fetch(`${platform.operatorUrl}/console/`)).status, 404);
    assert.equal((await platform.api('GET', '')).status, 200);
  });
});
