import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createFailingCommits,
  eachDatabase,
  type FailingCommits,
  openSimulatedWorld,
  type SimulatedWorld,
} from '@jackfield/testkit';

interface Message {
  readonly direction: string;
  readonly start_line: string;
  readonly message: string;
}

const settings = { keepsCalls: true };

/** A call of two phones that has ended; its legs, the caller's first. */
async function talk(world: SimulatedWorld): Promise<readonly [string, string]> {
  const [alice, bob] = [await world.phone('alice'), await world.phone('bob')];
  const call = alice.dial(bob.username);
  await world.until('the call is up', () => call.isUp);
  const live = (await world.api('GET', 'Live/')).body.calls;
  const of = (direction: string) =>
    live.find((each: { direction: string }) => each.direction === direction).call_uuid;
  const legs = [of('inbound'), of('outbound')] as const;
  await world.api('DELETE', 'Call/');
  await world.advance(2_000);
  return legs;
}

const linesOf = (messages: readonly Message[]) =>
  messages.map(({ direction, start_line }) => `${direction} ${start_line.replace(/ sip:\S+ SIP\/2\.0/, '')}`);

eachDatabase('The black box of a call', (open) => {
  test('has its SIP messages in both directions from the first one on, without credentials', async () => {
    const world = await openSimulatedWorld({ database: open, settings });
    const [caller, callee] = await talk(world);
    const { body } = await world.api('GET', `Call/${caller}/Signalling/`);
    assert.deepEqual([body.are_kept, body.are_left_out], [true, false]);
    const lines = linesOf(body.objects);
    assert.equal(lines[0], 'received INVITE');
    for (const line of ['sent SIP/2.0 200 OK', 'received ACK', 'sent BYE', 'received SIP/2.0 200 OK']) {
      assert.ok(lines.includes(line), `${line} in ${lines}`);
    }
    const texts = body.objects.map(({ message }: Message) => message).join('\n');
    assert.match(texts, /^Authorization: \(removed\)\r$/m);
    assert.ok(!/response="/.test(texts));
    assert.ok(!/REGISTER/.test(lines.join()));
    const other = linesOf((await world.api('GET', `Call/${callee}/Signalling/`)).body.objects);
    assert.equal(other[0], 'sent INVITE');
  });

  test('is a capture file with format=pcap', async () => {
    const world = await openSimulatedWorld({ database: open, settings });
    const [caller] = await talk(world);
    const answer = await world.node.platform.http.inject({
      url: `/v1/Account/${world.main.authId}/Call/${caller}/Signalling/?format=pcap`,
      headers: {
        authorization: `Basic ${Buffer.from(`${world.main.authId}:${world.main.authToken}`).toString('base64')}`,
      },
    });
    assert.deepEqual(
      [answer.statusCode, answer.headers['content-type'], answer.rawPayload.readUInt32LE(0)],
      [200, 'application/vnd.tcpdump.pcap', 0xa1b2c3d4],
    );
    assert.match(answer.rawPayload.toString('latin1'), /INVITE sip:/);
  });

  test('has each request for a document with its status, its time and its body', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none', settings });
    const answerUrl = 'https://customer.example.com/answer';
    world.customer.serve(answerUrl, '<Response><Wait length="5"/></Response>');
    const body = { from: '+12025550000', to: '+12025550101', answer_url: `${answerUrl}?password=x` };
    world.customer.serve(body.answer_url, '<Response><Wait length="5"/></Response>');
    await world.call('POST', 'Call/', { body });
    await world.advance(100);
    const [leg] = (await world.api('GET', 'Call/?status=live')).body.calls;
    world.telephony.pickUp(leg);
    await world.advance(1_000);
    const documents = (await world.api('GET', `Call/${leg}/Document/`)).body;
    assert.equal(documents.objects.length, 1);
    const { url, response_status, problem, body: text, is_cut } = documents.objects[0];
    assert.ok(url.startsWith(answerUrl), url);
    assert.deepEqual([response_status, problem, is_cut], [200, null, false]);
    assert.match(text, /<Wait length="5"/);
  });

  test('is of no account but that of the call, and empty where the operator keeps nothing', async () => {
    const world = await openSimulatedWorld({ database: open });
    const [caller] = await talk(world);
    for (const part of ['Signalling', 'Document']) {
      const { status, body } = await world.api('GET', `Call/${caller}/${part}/`);
      assert.deepEqual([status, body.are_kept, body.objects], [200, false, []]);
      const as = await world.subaccount();
      assert.equal((await world.call('GET', `Call/${caller}/${part}/`, { as })).status, 404);
    }
  });
});

test('Calls whose records cannot be written leave nothing in the black box', async (t) => {
  for (const keepsCalls of [true, false]) {
    let commits: FailingCommits | undefined;
    const world = await openSimulatedWorld({
      settings: { keepsCalls },
      interpose: (database) => {
        commits = createFailingCommits(database);
        return commits.database;
      },
      loggedErrors: ['step not saved; it was undone', 'offered leg not recorded; it is refused'],
    });
    t.after(() => world.close());
    const alice = await world.phone('alice');
    commits?.fail(1);
    const call = alice.dial('bob');
    await world.until('the call is refused', () => call.end !== undefined);
    await world.advance(70_000);
    await world.assertNothingLeft();
  }
});
