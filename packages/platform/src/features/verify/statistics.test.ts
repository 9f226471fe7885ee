import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { verifyOfSuite } from './testing/verify-world.ts';

eachDatabase('The funnel of verifications', (open) => {
  const openWorld = verifyOfSuite(open);

  test('counts sessions by the steps they reached, in rows of the requested groups', async () => {
    const { begin, check, codeFor, get } = await openWorld();
    const verified = await begin();
    assert.equal((await check(verified, await codeFor())).status, 200);
    await begin({ recipient: '+442079460018' });
    await begin({ recipient: '+442079460019' });
    const whole = (await get('Verify/Statistics/')).body;
    assert.equal(whole.are_rows_cut, false);
    assert.equal(whole.objects.length, 1);
    const [{ created, sent, delivered, verified: entered }] = whole.objects;
    assert.deepEqual([created, sent, entered], [3, 3, 1]);
    assert.ok(delivered >= 1 && delivered <= 3, `${delivered} delivered`);
    const { objects } = (await get('Verify/Statistics/?by=prefix,channel,hour')).body;
    assert.deepEqual(
      objects.map((row: Record<string, unknown>) => [row.channel, row.prefix, row.created, row.verified]),
      [
        ['sms', '4420', 2, 0],
        ['sms', '1415', 1, 1],
      ],
    );
    assert.equal(Date.parse(objects[0].hour) % 3_600_000, 0);
    const old = (await get('Verify/Statistics/?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).body;
    assert.deepEqual(old.objects, []);
    for (const wrong of ['by=country', 'by=hour,', 'from=2020-01-01T00:00:00Z&to=2020-03-01T00:00:00Z']) {
      assert.equal((await get(`Verify/Statistics/?${wrong}`)).status, 400, wrong);
    }
  });

  test('is that of the account and its subaccounts; another subaccount sees nothing', async () => {
    const { begin, get, world } = await openWorld();
    const other = await world.subaccount();
    await begin();
    assert.deepEqual((await get('Verify/Statistics/', other)).body.objects, []);
    const [whole] = (await get('Verify/Statistics/', world.main)).body.objects;
    assert.ok(whole.created >= 1, JSON.stringify(whole));
  });
});
