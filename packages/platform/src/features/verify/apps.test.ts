import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { openVerifyWorld, verifyOfSuite } from './testing/verify-world.ts';

eachDatabase('Verify apps and lists', (open) => {
  const newVerify = verifyOfSuite(open);

  test('an account always has one default app, which can be deleted after another app is the default', async () => {
    const { world, ...verify } = await newVerify();
    const as = verify.account;
    const [first] = (await verify.get('Verify/App/')).body.objects;
    assert.deepEqual(
      [first.alias, first.is_default, first.code_length, first.code_expiry, first.max_validations],
      ['Default', true, 6, 10, 5],
    );
    const remove = () => world.call('DELETE', `Verify/App/${first.app_uuid}/`, { as });
    assert.equal((await remove()).status, 409);
    const made = await world.call('POST', 'Verify/App/', {
      body: { alias: 'New', is_default: true },
      as,
    });
    const { app_uuid } = made.body;
    const all = (await verify.get('Verify/App/')).body.objects;
    assert.deepEqual(
      all
        .filter((each: { is_default: boolean }) => each.is_default)
        .map((each: { alias: string }) => each.alias),
      ['New'],
    );
    assert.equal((await remove()).status, 204);
    const change = (body: object) => world.call('POST', `Verify/App/${app_uuid}/`, { body, as });
    assert.equal((await change({ is_default: false })).status, 409);
    assert.equal((await change({ sms_template: 'no code' })).status, 400);
    for (const allowed_countries of [['XX'], ['DE', 'USA'], 'DE', [49]]) {
      const refused = await change({ allowed_countries });
      assert.equal(refused.status, 400);
      assert.match(refused.body.error, /^allowed_countries must be a list of .* by its two letters/);
    }
    assert.equal((await change({ sms_template: '{{code}} $& {{brand}}', brand_name: "A$'B" })).status, 202);
    assert.equal((await verify.get(`Verify/App/${app_uuid}/`)).body.code_length, 6);
    await verify.begin({ app_hash: 'FA+9qCX9VSu' });
    const [message] = (await verify.get('Sandbox/Message/')).body.objects;
    assert.match(message.text, /^\d{6} \$& A\$'B\nFA\+9qCX9VSu$/);
    const other = await world.subaccount();
    assert.equal((await verify.get(`Verify/App/${app_uuid}/`, other)).status, 404);
    assert.equal((await verify.start({ app_uuid }, other)).status, 400);
  });

  test('two concurrent changes of an app both hold', async () => {
    const { world, account: as, get } = await newVerify();
    const made = await world.call('POST', 'Verify/App/', { body: { alias: 'Shop' }, as });
    const path = `Verify/App/${made.body.app_uuid}/`;
    const changed = await Promise.all([
      world.call('POST', path, { body: { allowed_countries: ['DE'] }, as }),
      world.call('POST', path, { body: { brand_name: 'Acme' }, as }),
    ]);
    assert.deepEqual(
      changed.map(({ status }) => status),
      [202, 202],
    );
    const { body } = await get(path);
    assert.deepEqual([body.allowed_countries, body.brand_name], [['DE'], 'Acme']);
    assert.equal((await world.call('POST', path, { body: {}, as })).status, 202);
  });

  test('an account keeps one default app through concurrent changes and a deletion', async () => {
    const { world, account: as, get } = await newVerify();
    const appNamed = async (alias: string) =>
      (await world.call('POST', 'Verify/App/', { body: { alias }, as })).body.app_uuid as string;
    const change = (app: string, body: object) => world.call('POST', `Verify/App/${app}/`, { body, as });
    const defaults = async () =>
      (await get('Verify/App/')).body.objects
        .filter((each: { is_default: boolean }) => each.is_default)
        .map((each: { alias: string }) => each.alias);
    const first = await appNamed('First');
    assert.deepEqual(await defaults(), ['Default']);
    await Promise.all([change(first, { is_default: true }), change(first, { sender: '12025550100' })]);
    assert.deepEqual(await defaults(), ['First']);

    const second = await appNamed('Second');
    const [removed, moved] = await Promise.all([
      world.call('DELETE', `Verify/App/${second}/`, { as }),
      change(second, { is_default: true }),
    ]);
    const outcome = [removed.status, moved.status].join(' ');
    assert.ok(['204 404', '409 202'].includes(outcome), outcome);
    assert.deepEqual(await defaults(), [moved.status === 202 ? 'Second' : 'First']);
  });

  test('the list of sessions has the member sessions, newest first, with each filter and in pages', async () => {
    const { world, ...verify } = await openVerifyWorld(open);
    const branch = await world.subaccount();
    const first = await verify.begin({ brand_name: 'Acme' });
    await world.advance(60_000);
    const second = await verify.begin({ recipient: '+442071838750', app_hash: 'FA+9qCX9VSu' });
    await world.advance(60_000);
    const third = await verify.begin({ recipient: '+4915112345678' }, branch);
    await verify.check(second, await verify.codeFor('+442071838750'));
    const list = async (query: string, as = world.main) => {
      const { body } = await verify.get(`Verify/Session/?${query}`, as);
      return body.sessions.map((each: { session_uuid: string }) => each.session_uuid);
    };
    assert.deepEqual(await list(''), [third, second, first]);
    assert.deepEqual(await list('', branch), [third]);
    assert.deepEqual(await list('status=Verified'), [second]);
    assert.deepEqual(await list('recipient=%2B442071838750'), [second]);
    assert.deepEqual(await list('recipient=442071838750'), [second]);
    assert.deepEqual(await list('country=us'), [first]);
    assert.deepEqual(await list('brand_name=Acme'), [first]);
    assert.deepEqual(await list('app_hash=FA%2B9qCX9VSu'), [second]);
    assert.deepEqual(await list(`subaccount=${branch.authId}`), [third]);
    assert.deepEqual(await list('alias=Default'), [third, second, first]);
    const at = new Date(world.clock.now() - 60_000).toISOString().slice(0, 16);
    assert.deepEqual(await list(`session_time__gte=${at}`), [third, second]);
    assert.deepEqual(await list(`session_time_lt=${at}`), [first]);
    const page = (await verify.get('Verify/Session/?limit=1&offset=1&alias=Default')).body;
    assert.equal(page.sessions[0].session_uuid, second);
    assert.match(page.meta.next, /\/Verify\/Session\/\?alias=Default&limit=1&offset=2$/);
    assert.equal((await verify.get('Verify/Session/?status=nearly')).status, 400);
    world.clock.stepWall(91 * 86_400_000);
    assert.deepEqual(await list(''), []);
  });

  test('the sandbox inbox fails, does not deliver or sends no receipt by the end of the number', async () => {
    const { world, ...verify } = await newVerify();
    for (const end of ['9901', '9902', '9903', '9904']) await verify.begin({ recipient: `+1415555${end}` });
    await world.advance(1_000);
    const { objects } = (await verify.get('Sandbox/Message/')).body;
    const statuses = Object.fromEntries(
      objects.map(({ to, status }: { to: string; status: string }) => [to.slice(-4), status]),
    );
    assert.deepEqual(statuses, { 9901: 'failed', 9902: 'undelivered', 9903: 'sent', 9904: 'delivered' });
    const { sessions } = (await verify.get('Verify/Session/')).body;
    const reported = Object.fromEntries(
      sessions.map((each: { recipient: string; attempt_details: [{ status: string }] }) => [
        each.recipient.slice(-4),
        each.attempt_details[0].status,
      ]),
    );
    assert.deepEqual(reported, statuses);
  });
});
