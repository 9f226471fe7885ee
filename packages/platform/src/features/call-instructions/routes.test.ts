import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { answer, openDocumentWorld, response } from './testing/document-world.ts';

const order = { from: '+12025550199', to: '+12025550100', answer_url: answer };

eachDatabase('Calls that are made over HTTP', (open) => {
  test('a call is fired, and its document is fetched when it is answered', async () => {
    const world = await openDocumentWorld(open);
    world.customer.serve(answer, response('<Speak>Hello</Speak>'));
    const fired = await world.post('Call/', {
      ...order,
      caller_name: 'Desk',
      ring_url: 'https://example.com/ring',
      ring_method: 'GET',
      send_digits: 'ww1',
      send_on_preanswer: 'True',
      sip_headers: 'Ticket=4711,X-PH-Queue=sales',
      time_limit: '60',
    });
    assert.equal(fired.status, 201);
    const { api_id, ...body } = fired.body;
    const [leg] = world.phones.dialled;
    assert.deepEqual(body, { message: 'call fired', request_uuid: leg?.leg });
    assert.deepEqual(leg, {
      leg: body.request_uuid,
      account: world.api.main.authId,
      mainAccount: world.api.main.authId,
      owner: { kind: 'document', id: body.request_uuid },
      spec: {
        from: '+12025550199',
        to: '+12025550100',
        callerName: 'Desk',
        ringTimeoutSeconds: 120,
        timeLimitSeconds: 60,
        sipHeaders: { Ticket: '4711', Queue: 'sales' },
        sendDigits: 'ww1',
        sendOnPreanswer: true,
      },
      requestUuid: body.request_uuid,
      callbacks: {
        ring: { url: 'https://example.com/ring', method: 'GET' },
        hangup: { url: answer, method: 'POST' },
      },
    });
    await world.pass(100);
    assert.equal(world.customer.requests.length, 0);

    world.phones.pickUp(String(body.request_uuid));
    await world.pass(100);
    assert.deepEqual(world.customer.requests[0]?.fields, {
      CallUUID: body.request_uuid,
      From: '+12025550199',
      To: '+12025550100',
      CallStatus: 'in-progress',
      Event: 'StartApp',
      SignedFor: world.api.main.authId,
    });
    assert.deepEqual(
      [...world.playing.values()].map(({ to, items }) => ({ to, items })),
      [
        {
          to: [body.request_uuid],
          items: [{ kind: 'speech', text: 'Hello', language: 'en-US', voice: 'woman', loop: 1 }],
        },
      ],
    );
    await world.finishPlays();
    assert.deepEqual([...world.phones.hungUp], [[body.request_uuid, '4010 Answer XML']]);
    assert.equal(world.runs, 0);
  });

  test('several destinations are called at once, and each has a request of its own', async () => {
    const world = await openDocumentWorld(open);
    const fired = await world.post('Call/', {
      ...order,
      to: '+12025550100<alice261121120000<sip:bob@example.com',
    });
    assert.deepEqual(
      fired.body.request_uuid,
      world.phones.dialled.map(({ leg }) => leg),
    );
    assert.deepEqual(
      world.phones.dialled.map(({ spec }) => spec.to),
      ['+12025550100', 'alice261121120000', 'sip:bob@example.com'],
    );
    for (const { leg } of world.phones.dialled) world.phones.leave(leg);
    await world.pass(0);
    assert.equal(world.runs, 0);
  });

  test('parameters that are missing, wrong or not offered are refused', async () => {
    const world = await openDocumentWorld(open);
    const { answer_url: _, ...incomplete } = order;
    for (const [body, sentence] of [
      [incomplete, /answer_url parameter is missing/],
      [{ ...order, machine_detection: 'true' }, /machine_detection/],
      [{ ...order, to: '+12025550100<<alice261121120000' }, /to must be/],
      [{ ...order, to: '+12025550100,+12025550101' }, /to must be 1 to 1000 .*separated by </],
      [{ ...order, to: 'alice' }, /^to must be .*username that GET Endpoint\/ lists.*, not "alice"$/],
      [{ ...order, to: '+12025550100<alice<sip:bob@example.com' }, /, not "alice"$/],
      [{ ...order, sip_headers: 'a=1,X-PH-A=2' }, /each name occurs once/],
      [{ ...order, answer_url: 'file:///etc/passwd' }, /answer_url/],
      [{ ...order, answer_url: 'http://[::1' }, /answer_url must be a URL/],
      [{ ...order, hangup_url: 'http://example.com:99999/' }, /hangup_url must be a URL/],
    ] as const) {
      const answered = await world.post('Call/', body);
      assert.equal(answered.status, 400);
      assert.match(answered.body.error, sentence);
    }
    assert.deepEqual([world.phones.dialled.length, world.runs], [0, 0]);
  });

  test('a parent call that is not live is ignored, or refused with error_parent_not_found', async () => {
    const world = await openDocumentWorld(open);
    const parent = '11111111-1111-4111-8111-111111111111';
    const wish = { ...order, parent_call_uuid: parent };
    assert.equal((await world.post('Call/', { ...wish, error_parent_not_found: 'true' })).status, 404);
    assert.equal((await world.post('Call/', wish)).status, 201);
    assert.equal(world.phones.dialled[0]?.parentLeg, undefined);
    world.phones.place({ leg: parent });
    await world.post('Call/', { ...wish, error_parent_not_found: true });
    assert.equal(world.phones.dialled[1]?.parentLeg, parent);
    const stranger = await world.api.subaccount();
    assert.equal(
      (await world.post('Call/', { ...wish, error_parent_not_found: true }, stranger)).status,
      404,
    );
  });

  test('no call is made while the process shuts down', async () => {
    const world = await openDocumentWorld(open);
    world.drain();
    const refused = await world.post('Call/', order);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['retry-after'], '10');
  });

  test('a call whose record cannot be written leaves no document that waits for it', async () => {
    const world = await openDocumentWorld(open);
    world.phones.failNextDial();
    // The test world fails on a 500, which is a fault of ours.
    await assert.rejects(world.post('Call/', order), /the disk is full/);
    await world.pass(0);
    assert.equal(world.runs, 0);
  });

  test('hangup_on_ring ends a call that rings', async () => {
    const world = await openDocumentWorld(open);
    const { body } = await world.post('Call/', { ...order, hangup_on_ring: 2 });
    world.phones.startRinging(body.request_uuid);
    await world.pass(1_900);
    assert.equal(world.phones.hungUp.size, 0);
    await world.pass(200);
    assert.equal(world.phones.hungUp.get(body.request_uuid), '6000 Service');
  });
});

eachDatabase('Calls that are transferred over HTTP', (open) => {
  const aleg = { aleg_url: 'https://example.com/other', aleg_method: 'GET' };

  async function answered(elements: string) {
    const world = await openDocumentWorld(open);
    world.customer.serve(answer, response(elements));
    world.customer.serve('https://example.com/other', response('<Play>https://example.com/a.mp3</Play>'));
    world.customer.serve('https://example.com/b', response('<Speak>B</Speak>'));
    const { body } = await world.post('Call/', order);
    world.phones.pickUp(body.request_uuid);
    await world.pass(100);
    return { world, leg: String(body.request_uuid) };
  }

  test('a transfer replaces the running document', async () => {
    const { world, leg } = await answered('<Speak>Hello</Speak>');
    const moved = await world.post(`Call/${leg}/`, aleg);
    assert.equal(moved.status, 202);
    const { api_id: _, ...body } = moved.body;
    assert.deepEqual(body, { message: 'call transfered', call_uuids: [leg] });
    assert.equal(world.playing.size, 0);
    await world.pass(100);
    const { method, fields } = world.customer.requests.at(-1) ?? {};
    assert.deepEqual([method, fields?.Event, fields?.CallUUID], ['GET', 'Redirect', leg]);
    assert.equal([...world.playing.values()][0]?.items[0]?.kind, 'file');
  });

  test('a leg of a direct call is transferred out of it', async () => {
    const { world } = await answered('<Wait length="100" silence="true"/>');
    world.phones.place({
      leg: '22222222-2222-4222-8222-222222222222',
      phase: 'answered',
      owner: { kind: 'direct-call', id: 'x' },
    });
    const moved = await world.post('Call/22222222-2222-4222-8222-222222222222/', aleg);
    assert.equal(moved.status, 202);
    assert.equal(world.phones.ownerOf('22222222-2222-4222-8222-222222222222')?.kind, 'document');
    await world.pass(100);
    // The leg is not answered a second time.
    assert.deepEqual(world.phones.orders, []);
    assert.equal(world.playing.size, 1);
  });

  test('both legs of a Dial are transferred to documents of their own', async () => {
    const { world, leg } = await answered(
      '<Dial><User>sip:bob@sip.example.com</User></Dial><Speak>Bye</Speak>',
    );
    const bLeg = world.phones.dialled[1]?.leg ?? '';
    world.phones.pickUp(bLeg);
    await world.pass(10);
    assert.ok(world.sent.some((command) => command.do === 'set-hearing'));
    const wish = { legs: 'both', ...aleg, bleg_url: 'https://example.com/b' };
    const moved = await world.post(`Call/${leg}/`, wish);
    assert.deepEqual([moved.status, moved.body.call_uuids], [202, [leg, bLeg]]);
    await world.pass(100);
    assert.deepEqual([...world.phones.hungUp.keys()], []);
    assert.equal(world.sent.filter((command) => command.do === 'close-mix').length, 1);
    assert.deepEqual(
      [...world.playing.values()].map(({ to, items }) => [to[0], items[0]?.kind]).sort(),
      [
        [leg, 'file'],
        [bLeg, 'speech'],
      ].sort(),
    );
  });

  test('a transfer of the B leg alone lets the document of the A leg continue', async () => {
    const { world, leg } = await answered(
      '<Dial><User>sip:bob@sip.example.com</User></Dial><Speak>Bye</Speak>',
    );
    const bLeg = world.phones.dialled[1]?.leg ?? '';
    world.phones.pickUp(bLeg);
    await world.pass(10);
    const moved = await world.post(`Call/${leg}/`, { legs: 'bleg', bleg_url: 'https://example.com/b' });
    assert.deepEqual(moved.body.call_uuids, [bLeg]);
    await world.pass(100);
    assert.equal(world.playing.size, 2);
    assert.equal(world.phones.hungUp.size, 0);
  });

  test('a transfer of a call that is unknown, unanswered or over is refused', async () => {
    const { world, leg } = await answered('<Wait length="100" silence="true"/>');
    const stranger = await world.api.subaccount();
    assert.equal((await world.post(`Call/${leg}/`, aleg, stranger)).status, 404);
    assert.equal((await world.post('Call/33333333-3333-4333-8333-333333333333/', aleg)).status, 404);
    for (const [wish, sentence] of [
      [{}, /aleg_url parameter is missing/],
      [{ legs: 'both', ...aleg }, /bleg_url parameter is missing/],
      [{ legs: 'bleg', bleg_url: answer }, /legs must be aleg: call \S+ has no other leg at this moment$/],
    ] as const) {
      const refused = await world.post(`Call/${leg}/`, wish);
      assert.equal(refused.status, 400);
      assert.match(refused.body.error, sentence);
    }
    const ringing = (await world.post('Call/', order)).body.request_uuid;
    assert.equal((await world.post(`Call/${ringing}/`, aleg)).status, 409);
    world.phones.leave(leg);
    await world.pass(0);
    assert.equal((await world.post(`Call/${leg}/`, aleg)).status, 404);
  });
});
