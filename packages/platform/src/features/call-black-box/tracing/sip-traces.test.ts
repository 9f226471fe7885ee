import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

interface Message {
  readonly direction: string;
  readonly start_line: string;
  readonly message: string;
}

const lineOf = ({ direction, start_line: line }: Message) =>
  `${direction} ${line.replace(/ sip:\S+ SIP\/2\.0/, '')}`;

async function endpointOf(world: SimulatedWorld, username: string): Promise<string> {
  const { objects } = (await world.api('GET', 'Endpoint/')).body;
  return objects.find((each: { username: string }) => each.username === username).endpoint_id;
}

async function messagesOf(world: SimulatedWorld, trace: string): Promise<readonly Message[]> {
  await world.advance(1_000);
  return (await world.api('GET', `Trace/${trace}/Message/`)).body.objects;
}

async function talk(world: SimulatedWorld) {
  const [alice, bob] = [await world.phone('alice'), await world.phone('bob')];
  const endpoint = await endpointOf(world, alice.username);
  return {
    alice,
    bob,
    endpoint,
    async call() {
      const call = alice.dial(bob.username);
      await world.until('the call is up', () => call.isUp);
      return (await world.api('GET', 'Live/')).body.calls as { direction: string; call_uuid: string }[];
    },
  };
}

eachDatabase('A SIP trace', (open) => {
  test('of an endpoint has its registrations and its side of calls, without secrets, until its end', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { alice, bob, endpoint, call } = await talk(world);
    const begun = await world.api('POST', 'Trace/', { endpoint_id: endpoint, minutes: 1 });
    assert.deepEqual([begun.status, begun.body.is_on, begun.body.endpoint_id], [201, true, endpoint]);
    const trace = begun.body.trace_id;
    alice.register();
    bob.register();
    await world.advance(1_000);
    await call();
    await world.api('DELETE', 'Call/');
    const messages = await messagesOf(world, trace);
    const lines = messages.map(lineOf);
    for (const line of ['received REGISTER', 'received INVITE', 'sent BYE'])
      assert.ok(lines.includes(line), `${line} in ${lines}`);
    assert.ok(!lines.includes('sent INVITE'), 'the leg of the other phone is not of this endpoint');
    const texts = messages.map(({ message }) => message).join('\n');
    assert.match(texts, /^Authorization: \(removed\)\r$/m);
    assert.doesNotMatch(texts, /response="/);
    assert.ok(!texts.includes(bob.signalsAt.address), 'nothing of the other phone');
    await world.advance(60_000);
    alice.register();
    assert.equal((await messagesOf(world, trace)).length, messages.length);
    assert.equal((await world.api('GET', `Trace/${trace}/`)).body.is_on, false);
  });

  test('of an endpoint that is called has the leg to it', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { bob, call } = await talk(world);
    const endpoint = await endpointOf(world, bob.username);
    const { trace_id: trace } = (await world.api('POST', 'Trace/', { endpoint_id: endpoint })).body;
    await call();
    await world.api('DELETE', 'Call/');
    const lines = (await messagesOf(world, trace)).map(lineOf);
    for (const line of ['sent INVITE', 'received SIP/2.0 200 OK', 'sent ACK', 'sent BYE'])
      assert.ok(lines.includes(line), `${line} in ${lines}`);
    assert.ok(!lines.includes('received INVITE'));
  });

  test('of a live call has its messages from then on, also in its black box, and is a capture file', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { call } = await talk(world);
    const legs = await call();
    const { call_uuid: leg } = legs.find(({ direction }) => direction === 'inbound')!;
    const { trace_id: trace } = (await world.api('POST', 'Trace/', { call_uuid: leg })).body;
    await world.api('DELETE', 'Call/');
    const lines = (await messagesOf(world, trace)).map(lineOf);
    assert.deepEqual(lines, ['sent BYE', 'received SIP/2.0 200 OK']);
    const { objects } = (await world.api('GET', `Call/${leg}/Signalling/`)).body;
    assert.deepEqual(objects.map(lineOf), lines);
    const authorization = `Basic ${Buffer.from(`${world.main.authId}:${world.main.authToken}`).toString('base64')}`;
    const file = await world.node.platform.http.inject({
      url: `/v1/Account/${world.main.authId}/Trace/${trace}/Message/?format=pcap`,
      headers: { authorization },
    });
    assert.deepEqual([file.statusCode, file.rawPayload.readUInt32LE(0)], [200, 0xa1b2c3d4]);
  });

  test('goes on after a restart, and ends when it is ended', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { alice, endpoint } = await talk(world);
    const { trace_id: trace } = (await world.api('POST', 'Trace/', { endpoint_id: endpoint })).body;
    await world.restart();
    alice.register();
    const before = await messagesOf(world, trace);
    assert.ok(before.map(lineOf).includes('received REGISTER'));
    assert.equal((await world.api('DELETE', `Trace/${trace}/`)).status, 204);
    alice.register();
    assert.equal((await messagesOf(world, trace)).length, before.length);
    const { objects } = (await world.api('GET', 'Trace/')).body;
    assert.deepEqual(
      objects.map(({ trace_id: id, is_on: isOn }: { trace_id: string; is_on: boolean }) => [id, isOn]),
      [[trace, false]],
    );
  });

  test('is of one call or one endpoint of the account, ten at once', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { endpoint } = await talk(world);
    const call_uuid = '00000000-0000-4000-8000-000000000000';
    for (const [body, status] of [
      [{}, 400],
      [{ endpoint_id: endpoint, call_uuid }, 400],
      [{ call_uuid }, 404],
      [{ endpoint_id: '1' }, 404],
      [{ endpoint_id: endpoint, minutes: 241 }, 400],
    ] as const)
      assert.equal((await world.api('POST', 'Trace/', body)).status, status);
    const as = await world.subaccount();
    assert.equal((await world.call('POST', 'Trace/', { as, body: { endpoint_id: endpoint } })).status, 404);
    let trace = '';
    for (let count = 1; count <= 10; count += 1)
      trace = (await world.api('POST', 'Trace/', { endpoint_id: endpoint })).body.trace_id;
    const refused = await world.api('POST', 'Trace/', { endpoint_id: endpoint });
    assert.equal(refused.body.error_code, 'limit-reached');
    assert.equal((await world.call('GET', `Trace/${trace}/`, { as })).status, 404);
    assert.deepEqual((await world.call('GET', 'Trace/', { as })).body.objects, []);
  });

  test('is counted from its request on: of twelve requests at once two are refused', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { endpoint } = await talk(world);
    const begin = () => world.api('POST', 'Trace/', { endpoint_id: endpoint });
    const answers = await Promise.all(Array.from({ length: 12 }, begin));
    const statuses = answers.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [...Array(10).fill(201), ...Array(2).fill(400)]);
  });

  test('keeps nothing of what no trace is of', async () => {
    const world = await openSimulatedWorld({ database: open });
    const { call } = await talk(world);
    const [leg] = await call();
    await world.api('DELETE', 'Call/');
    await world.advance(1_000);
    const { body } = await world.api('GET', `Call/${leg!.call_uuid}/Signalling/`);
    assert.deepEqual([body.are_kept, body.objects], [false, []]);
  });
});
